"""Statements: Cypher that others wrote, and what of it can be judged before a server sees it.

Comes in: text, and a catalogue of the graph. Goes out: a `Statement` (its tokens, the nodes and relationships of its
patterns, what it returns), or the first thing that is wrong with it as an error: a function or a clause that is not
on the list here, a name that the catalogue does not have, a relationship against its direction, a pattern or a
calculation without bounds. What clauses may do is judged by the server's plan (`kgneo.graph.statement`), since only
the server knows what its language means; here stands what no plan shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from kgneo.errors import StatementError, StatementInvalid, StatementRefused, UnknownName
from kgneo.query.catalogue import Catalogue, Relation
from kgneo.query.nearest import nearest
from kgneo.query.nesting import check_nesting
from kgneo.query.tokens import QUERY_BRACES, Token, tokens, written


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


LONGEST = 10_000
"""Characters of a statement at most."""
FURTHEST = 6
"""Hops of a pattern of variable length at most."""
BEGINNINGS = ("MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", "CALL")
WRITES = ("CREATE", "DELETE", "DETACH", "FOREACH", "INSERT", "MERGE", "REMOVE", "SET")
PROCEDURES = frozenset(("db.labels", "db.relationshipTypes", "db.propertyKeys"))
FUNCTIONS = _listed(
    """
    all allshortestpaths any none shortestpath single
    avg collect count max min percentilecont percentiledisc stdev stdevp sum
    coalesce elementid endnode exists head id isempty keys labels last length nodes nullif relationships size startnode
    tail type
    toboolean tobooleanornull tofloat tofloatornull tointeger tointegerornull tostring tostringornull
    tobooleanlist tofloatlist tointegerlist tostringlist
    abs ceil exp floor isnan log log10 rand round sign sqrt
    properties range reduce
    btrim char_length character_length left lower ltrim replace reverse right rtrim split substring tolower toupper trim
    upper
    date date.truncate datetime datetime.truncate duration duration.between duration.indays duration.inmonths
    duration.inseconds localdatetime localdatetime.truncate localtime localtime.truncate time time.truncate
    point point.distance point.withinbbox
    """
)
"""Functions that may be called, in lower case; none that was installed. How large what they build may become is judged
in `kgneo.query.bounds`."""
_BEFORE_BRACKET = _listed(
    """
    ALL AND ANY AS BY CALL CASE CONTAINS COUNT DISTINCT ELSE EXISTS IN IS LIMIT MATCH NOT OFFSET ON OPTIONAL OR RETURN
    SKIP THEN UNION UNWIND WHEN WHERE WITH XOR YIELD
    GROUP GROUPS PATH PATHS SHORTEST
    """
)
"""Keywords after which a bracket is no call."""
_MISSPELT = 80
"""Likeness from which on the name of a function is taken for a misspelt one."""
_SOME_FUNCTIONS = "toLower(), split(), substring(), size(), coalesce(), round(), collect(), sum()"
_BEFORE_NAME = _listed("AND AS BY CONTAINS DISTINCT ELSE IN NOT OR RETURN THEN UNWIND WHEN WHERE XOR")
"""Keywords behind which an expression or a name stands, and no clause."""
_LOOPS = ("ALL", "ANY", "NONE", "SINGLE", "REDUCE")


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a pattern: its variable ("" for none), the labels that are named there, and the keys of its map.
    `certain`: a node that fits has one of these labels. `begin` and `end` are the places of its brackets."""

    variable: str
    labels: tuple[str, ...]
    certain: bool
    keys: tuple[str, ...]
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Relationship:
    """A relationship of a pattern between the nodes `left` and `right`, in the order of the text; `arrow` is "<", ">"
    or "" for either way. `hops` is 1, or the most that a pattern of variable length (not `single`) may have; None is no
    bound. `place` is that of its square bracket, else that of its second dash."""

    variable: str
    types: tuple[str, ...]
    certain: bool
    keys: tuple[str, ...]
    arrow: str
    hops: int | None
    single: bool
    left: Node
    right: Node
    place: int


@dataclass(frozen=True)
class Statement:
    """Cypher in tokens. `text` is what is sent: what was written, without comments; `pairs` leads from each opening
    bracket's place to its closing one's."""

    text: str
    tokens: tuple[Token, ...] = field(repr=False)
    pairs: Mapping[int, int] = field(repr=False)

    @cached_property
    def patterns(self) -> tuple[tuple[Node, ...], tuple[Relationship, ...]]:
        """The nodes and relationships of all patterns, in the order of the text."""
        return _patterns(self)

    @cached_property
    def top(self) -> tuple[int, ...]:
        """The places of the tokens that stand in no bracket."""
        found: list[int] = []
        place = 0
        while place < len(self.tokens):
            found.append(place)
            place = self.pairs.get(place, place) + 1
        return tuple(found)

    @property
    def last_return(self) -> int | None:
        """The place of the last RETURN that stands in no bracket."""
        return max((place for place in self.top if self.at(place).word("RETURN")), default=None)

    def holds_query(self, place: int) -> bool:
        """Whether the curly bracket at `place` holds a query, not a map."""
        before = self.at(place - 1)
        return before.word(*QUERY_BRACES) or before.symbol(")")

    def at(self, place: int) -> Token:
        """The token at a place; beyond both ends an empty one."""
        return self.tokens[place] if 0 <= place < len(self.tokens) else _NOTHING


_NOTHING = Token("text", "", "", -1)


def read_statement(text: str) -> Statement:
    """The statement in `text`. Raises StatementInvalid or StatementRefused."""
    if len(text) > LONGEST:
        raise StatementRefused(f"It has {len(text):,} characters, and {LONGEST:,} are allowed.")
    found = tokens(text)
    while found and found[-1].symbol(";"):
        found.pop()
    if not found:
        raise StatementInvalid("There is no query.", hint="Write one that begins with MATCH and ends with RETURN.")
    if any(token.symbol(";") for token in found):
        raise StatementRefused("It holds several statements.", hint="Write a single one.")
    if found[0].word("EXPLAIN", "PROFILE"):
        raise StatementRefused(
            f"It asks for a plan ({found[0].value.upper()}), not for rows.",
            hint=f"Leave {found[0].source} out; Neo4j Browser shows plans.",
        )
    if not found[0].word(*BEGINNINGS):
        raise StatementRefused(
            f"It begins with {found[0].source}, which is not allowed.",
            hint=f"A query begins with {', '.join(BEGINNINGS)}.",
        )
    check_nesting(found)
    shown = written(found, text)
    again = tuple(tokens(shown))
    return Statement(shown, again, _pairs(again))


def _pairs(given: Sequence[Token]) -> dict[int, int]:
    closing = {"(": ")", "[": "]", "{": "}"}
    open_: list[int] = []
    pairs: dict[int, int] = {}
    for place, token in enumerate(given):
        if token.symbol(*closing):
            open_.append(place)
        elif token.symbol(*closing.values()):
            if not open_ or closing[given[open_[-1]].value] != token.value:
                raise StatementInvalid(f"The bracket {token.value!r} was not opened.")
            pairs[open_.pop()] = place
    if open_:
        raise StatementInvalid(f"The bracket {given[open_[-1]].value!r} is not closed.")
    return pairs


def check_statement(statement: Statement, catalogue: Catalogue) -> None:
    """Raises the first of the statement's problems: what may not be run (StatementRefused), then what the catalogue
    does not have (UnknownName)."""
    for step in (_writes, _calls, _loops, _lengths):
        for problem in step(statement):
            raise problem
    for step_of_names in (_names, _keys, _directions):
        for problem in step_of_names(statement, catalogue):
            raise problem


# Patterns ------------------------------------------------------------------------------------------------------------


def _patterns(statement: Statement) -> tuple[tuple[Node, ...], tuple[Relationship, ...]]:
    nodes: list[Node] = []
    relationships: list[Relationship] = []
    place = 0
    while place < len(statement.tokens):
        left = _node(statement, place)
        if left is None:
            place += 1
            continue
        nodes.append(left)
        while (found := _relationship(statement, left)) is not None:
            relationships.append(found)
            left = found.right
            nodes.append(left)
        place = left.end + 1
    return tuple(nodes), tuple(relationships)


def _node(statement: Statement, place: int) -> Node | None:
    """The node pattern that begins at `place`; None where there is none: the brackets of a call or a calculation."""
    before = statement.at(place - 1)
    if not statement.at(place).symbol("(") or (before.named and before.value.upper() not in _BEFORE_BRACKET):
        return None
    inner = _element(statement, place)
    if inner is None:
        return None
    return Node(inner.variable, inner.words, inner.certain, inner.keys, place, statement.pairs[place])


def _relationship(statement: Statement, left: Node) -> Relationship | None:
    """The relationship that follows a node, with the node at its other end; None where none follows."""
    place = left.end + 1
    back = statement.at(place).symbol("<")
    place += back
    if not statement.at(place).symbol("-"):
        return None
    place = bracket = place + 1
    inner: _Element | None = _Element()
    if statement.at(place).symbol("["):
        inner = _element(statement, place)
        place = statement.pairs[place] + 1
    if inner is None or not statement.at(place).symbol("-"):
        return None
    forth = statement.at(place + 1).symbol(">")
    hops, single, place = _repeated(statement, place + 1 + forth, inner)
    right = _node(statement, place)
    if right is None:
        return None
    arrow = "" if back == forth else "<" if back else ">"
    return Relationship(
        inner.variable,
        inner.words,
        inner.certain,
        inner.keys,
        arrow,
        hops,
        single,
        left,
        right,
        bracket,
    )


@dataclass(frozen=True, slots=True)
class _Element:
    """What stands between the brackets of a node or a relationship."""

    variable: str = ""
    words: tuple[str, ...] = ()
    certain: bool = True
    keys: tuple[str, ...] = ()
    hops: int | None = 1
    single: bool = True


def _element(statement: Statement, place: int) -> _Element | None:
    """What stands between the brackets that open at `place`, None where that is no part of a pattern."""
    end = statement.pairs[place]
    place += 1
    variable = ""
    if statement.at(place).named and not statement.at(place).word("WHERE", "IS"):
        variable = statement.at(place).value
        place += 1
    words, certain, place = _words(statement, place)
    hops, single, place = _length(statement, place)
    keys: tuple[str, ...] = ()
    if statement.at(place).symbol("{"):
        keys = _map_keys(statement, place)
        place = statement.pairs[place] + 1
    elif statement.at(place).kind == "parameter":
        place += 1
    if statement.at(place).word("WHERE"):
        place = end
    return _Element(variable, words, certain, keys, hops, single) if place == end else None


def _words(statement: Statement, place: int) -> tuple[tuple[str, ...], bool, int]:
    """The labels or types of an expression such as `:A|B`, whether one of them must hold, and the place behind it."""
    words: list[str] = []
    certain = True
    if not (statement.at(place).symbol(":") or statement.at(place).word("IS")):
        return (), True, place
    place += 1
    name_next = True
    while True:
        token = statement.at(place)
        if name_next and token.named and not token.word("WHERE"):
            words.append(token.value)
            name_next = False
        elif token.symbol("!", "%", "(") or (token.symbol(")") and _opened_by(statement, place) in "(!&|"):
            certain, name_next = False, name_next and not token.symbol("%")
        elif token.symbol(":", "|", "&"):
            name_next = True
        else:
            return tuple(words), certain, place
        place += 1


def _opened_by(statement: Statement, place: int) -> str:
    """The sign before the bracket that closes at `place`; a blank where it is none."""
    before = next(begin for begin, end in statement.pairs.items() if end == place) - 1
    return statement.at(before).value if statement.at(before).symbol(*":(!&|") else " "


def _length(statement: Statement, place: int) -> tuple[int | None, bool, int]:
    """How many hops a pattern has at most, whether it is a single relationship, and the place behind its length."""
    if not statement.at(place).symbol("*"):
        return 1, True, place
    place += 1
    hops: int | None = None
    if statement.at(place).kind == "number":
        hops = _number(statement.at(place))
        place += 1
    if statement.at(place).symbol(".."):
        place += 1
        hops = None
        if statement.at(place).kind == "number":
            hops = _number(statement.at(place))
            place += 1
    return hops, False, place


def _repeated(statement: Statement, place: int, inner: _Element) -> tuple[int | None, bool, int]:
    """How many hops a relationship has at most, whether it is a single one, and the place behind the quantifier that
    may stand at `place`."""
    quantified = statement.at(place).symbol("+", "*", "{")
    most, behind = _quantifier(statement, place)
    hops = None if most is None or inner.hops is None else most * inner.hops
    return hops, inner.single and not quantified, behind


def _quantifier(statement: Statement, place: int) -> tuple[int | None, int]:
    """How often at most what ends before `place` may come (None: without a bound), and the place behind the quantifier:
    `+`, `*`, `{2}`, `{1,3}`, or nothing."""
    if statement.at(place).symbol("+", "*"):
        return None, place + 1
    if not statement.at(place).symbol("{"):
        return 1, place
    end = statement.pairs[place]
    return _number(statement.at(end - 1)), end + 1


def _number(token: Token) -> int | None:
    return int(token.value) if token.value.isdecimal() else None


def _map_keys(statement: Statement, place: int) -> tuple[str, ...]:
    """The keys of the map that opens at `place`, without those of maps inside."""
    found = []
    position = place + 1
    while position < statement.pairs[place]:
        key = statement.at(position).named and statement.at(position - 1).symbol("{", ",")
        if key and statement.at(position + 1).symbol(":"):
            found.append(statement.at(position).value)
        position = statement.pairs.get(position, position) + 1
    return tuple(found)


# What may be called, and what it costs -------------------------------------------------------------------------------


def _writes(statement: Statement) -> Iterator[StatementError]:
    """Clauses that write. The plan tells them all; here they are told by their names, at once."""
    for place, token in enumerate(statement.tokens):
        behind, before = statement.at(place + 1), statement.at(place - 1)
        clause = (behind.named or behind.symbol("(")) and not before.word(*_BEFORE_NAME)
        if token.word(*WRITES) and clause and not before.symbol(*".:|&([{,!=<>+-/%^"):
            yield StatementRefused(
                f"It would write ({token.value.upper()}).",
                hint="Only queries that read are run. A name that is such a word stands in `back quotes`.",
            )


def _calls(statement: Statement) -> Iterator[StatementError]:
    """Functions and procedures that are not on the lists, and LOAD CSV."""
    for place, token in enumerate(statement.tokens):
        if token.word("LOAD") and statement.at(place + 1).word("CSV"):
            yield StatementRefused("It reads a file or an address (LOAD CSV).", hint="Ask the graph alone.")
        if token.word("CALL") and statement.at(place + 1).named and statement.at(place + 2).symbol("."):
            name, _ = dotted(statement, place + 1)
            if name not in PROCEDURES:
                yield _not_allowed("procedure", name, PROCEDURES)
        if token.named and not statement.at(place - 1).symbol("."):
            name, behind = dotted(statement, place)
            plain = token.kind == "name" and behind == place + 1 and token.value.upper() in _BEFORE_BRACKET
            called = statement.at(behind).symbol("(") and not statement.at(place - 1).word("CALL")
            if called and not plain and name.lower() not in FUNCTIONS:
                yield _not_allowed("function", name, FUNCTIONS)


def dotted(statement: Statement, place: int) -> tuple[str, int]:
    """The name that begins at `place`, with its parts, and the place behind it."""
    parts = [statement.at(place).value]
    place += 1
    while statement.at(place).symbol(".") and statement.at(place + 1).named:
        parts.append(statement.at(place + 1).value)
        place += 2
    return ".".join(parts), place


def _not_allowed(what: str, name: str, allowed: Iterable[str]) -> StatementError:
    if what == "procedure":
        return StatementRefused(f"It calls the procedure {name}.", hint=f"Allowed are {', '.join(sorted(allowed))}.")
    last = name.lower().rpartition(".")[2]
    other = nearest(name.lower(), allowed, _MISSPELT) if "." not in name else last if last in allowed else ""
    installed = " Functions that were installed are not run." if "." in name else ""
    hint = f"Did you mean {other}()?" if other else f"Use Cypher's own, such as {_SOME_FUNCTIONS}."
    return StatementRefused(f"It calls the function {name}(), which is not allowed.{installed}", hint=hint)


def _loops(statement: Statement) -> Iterator[StatementError]:
    """A walk over a list within another one: a server's timeout does not end it."""
    inside: list[int] = []
    for place, token in enumerate(statement.tokens):
        inside = [end for end in inside if end > place]
        bracket = place + 1 if token.word(*_LOOPS) and statement.at(place + 1).symbol("(") else place
        list_of = token.symbol("[") and statement.at(place + 1).named and statement.at(place + 2).word("IN")
        if bracket > place or list_of:
            if inside:
                yield StatementRefused(
                    "It walks over a list within the walk over another list.",
                    hint="Use UNWIND, or match the nodes themselves, instead of lists in lists.",
                )
            inside.append(statement.pairs[bracket])


def _lengths(statement: Statement) -> Iterator[StatementError]:
    """Patterns without a bound, or with a far one, whether they repeat relationships or a part of a path."""
    bound = f"Give a bound of at most {FURTHEST}, as in -[:TYPE*1..3]-> or -[:TYPE]->{{1,3}}."
    for place in range(len(statement.tokens)):
        hops = _hops(statement, place)
        if hops is None or hops > FURTHEST:
            yield StatementRefused("A pattern of variable length has no bound, or a far one.", hint=bound)


def _hops(statement: Statement, place: int) -> int | None:
    """How many hops at most the relationship or the repeated part of a path may have that begins at `place`; 0 where
    none does, None for no bound."""
    before, end = statement.at(place - 1), statement.pairs.get(place, place)
    if statement.at(place).symbol("[") and before.symbol("-"):
        star = next((inner for inner in range(place, end) if statement.at(inner).symbol("*")), None)
        hops = 1 if star is None else _length(statement, star)[0]
        arrow = end + 1
    elif statement.at(place).symbol("-") and before.symbol("-"):
        hops, arrow = 1, place
    elif statement.at(place).symbol("(") and statement.at(place + 1).symbol("("):
        hops, arrow = _within(statement, place, end), end
        return _times(hops, _quantifier(statement, end + 1)[0])
    else:
        return 0
    arrow += statement.at(arrow + 1).symbol(">")
    return _times(hops, _quantifier(statement, arrow + 1)[0])


def _within(statement: Statement, begin: int, end: int) -> int | None:
    """How many hops a part of a path has at most."""
    hops = [item.hops for item in statement.patterns[1] if begin < item.left.begin < end]
    return None if None in hops else sum(item or 0 for item in hops)


def _times(hops: int | None, often: int | None) -> int | None:
    return None if hops is None or often is None else hops * often


# What the graph has --------------------------------------------------------------------------------------------------


def _names(statement: Statement, catalogue: Catalogue) -> Iterator[StatementError]:
    """Labels and relationship types that there are not."""
    labels = [label.name for label in catalogue.labels]
    types = [relation.name for relation in catalogue.relations]
    nodes, relationships = statement.patterns
    for node in nodes:
        yield from (_unknown("label", name, labels) for name in node.labels if name not in labels)
    for relationship in relationships:
        yield from (_unknown("relationship type", name, types) for name in relationship.types if name not in types)
    for name in _predicates(statement):
        if name not in labels and name not in types:
            yield _unknown("label", name, [*labels, *types])


def _predicates(statement: Statement) -> Iterator[str]:
    """The names of tests such as `n:Label`, outside of patterns."""
    for place, token in enumerate(statement.tokens):
        name = statement.at(place + 1)
        if (
            token.symbol(":")
            and name.named
            and not statement.at(place - 1).symbol(":")
            and not _in_map(statement, place)
        ):
            yield name.value


def _in_map(statement: Statement, place: int) -> bool:
    """Whether the innermost bracket around `place` is that of a map."""
    around = [begin for begin, end in statement.pairs.items() if begin < place < end]
    innermost = max(around, default=-1)
    return statement.at(innermost).symbol("{") and not statement.holds_query(innermost)


def _unknown(what: str, name: str, known: Iterable[str], of: str = "") -> UnknownName:
    other = nearest(name, known)
    hint = f"Did you mean {other!r}?" if other else ""
    return UnknownName(f"There is no {what} {name!r}{of} in this graph.", nearest=[other] if other else [], hint=hint)


def _owners(statement: Statement) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """The labels of each node variable and the types of each relationship variable, as far as patterns name them."""
    nodes, relationships = statement.patterns
    labels: dict[str, tuple[str, ...]] = {}
    types: dict[str, tuple[str, ...]] = {}
    for node in nodes:
        if node.variable:
            named = node.labels if node.certain else ()
            labels[node.variable] = tuple(dict.fromkeys((*labels.get(node.variable, ()), *named)))
    for relationship in relationships:
        if relationship.variable and relationship.single:
            types[relationship.variable] = relationship.types if relationship.certain else ()
    for place, token in enumerate(statement.tokens):
        if token.word("AS") and statement.at(place - 1).value != statement.at(place + 1).value:
            # A name that is given to something else as well: nothing is known of it.
            labels.pop(statement.at(place + 1).value, None)
            types.pop(statement.at(place + 1).value, None)
    return labels, types


def _keys(statement: Statement, catalogue: Catalogue) -> Iterator[StatementError]:
    """Property keys that there are not: of the labels or types that are named with a variable, else of all."""
    labels, types = _owners(statement)
    nodes, relationships = statement.patterns
    for node in nodes:
        named = labels.get(node.variable, node.labels if node.certain else ())
        yield from (error for key in node.keys for error in _key(key, named, False, catalogue))
    for relationship in relationships:
        yield from (error for key in relationship.keys for error in _key(key, relationship.types, True, catalogue))
    for place, token in enumerate(statement.tokens):
        if token.named and token.value in (*labels, *types) and not statement.at(place - 1).symbol("."):
            owners = labels.get(token.value, types.get(token.value, ()))
            for key in _keys_behind(statement, place):
                yield from _key(key, owners, token.value in types, catalogue)


def _keys_behind(statement: Statement, place: int) -> Iterator[str]:
    """The keys that are asked of the variable at `place`: `n.key`, `n["key"]`, `n {.key}`.

    Raises StatementRefused for a key that is put together.
    """
    behind, inner = statement.at(place + 1), statement.at(place + 2)
    if behind.symbol(".") and inner.named:
        yield inner.value
    elif behind.symbol("[") and not statement.at(place - 1).word("IN"):
        if inner.kind != "text" or statement.pairs[place + 1] != place + 3:
            raise StatementRefused("It puts the name of a property together.", hint="Write properties as n.key.")
        yield inner.value
    elif behind.symbol("{"):
        for position in range(place + 2, statement.pairs[place + 1]):
            first = statement.at(position - 1).symbol("{", ",")
            if first and statement.at(position).symbol(".") and statement.at(position + 1).named:
                yield statement.at(position + 1).value


def _key(key: str, owners: Sequence[str], of_edge: bool, catalogue: Catalogue) -> Iterator[StatementError]:
    every = [label.name for label in (catalogue.relations if of_edge else catalogue.labels)]
    keys = catalogue.keys_of_relations(owners or every) if of_edge else catalogue.keys_of_labels(owners)
    known = [item.name for item in keys]
    if key not in known and (known or of_edge):
        yield _unknown("property", key, known, f" of {' or '.join(owners)}" if owners else "")


def _directions(statement: Statement, catalogue: Catalogue) -> Iterator[StatementError]:
    """Relationships whose type does not join what stands at their ends in that direction, as far as that is known."""
    labels, _ = _owners(statement)
    for relationship in statement.patterns[1]:
        if not relationship.types or not relationship.certain or not relationship.single:
            continue
        ends = [labels.get(node.variable, _labels(node)) for node in (relationship.left, relationship.right)]
        start, end = reversed(ends) if relationship.arrow == "<" else ends
        types = [item for name in relationship.types if (item := catalogue.relation(name))]
        fits = any(item.joins(start, end) for item in types)
        turned = any(item.joins(end, start) for item in types)
        if fits or (turned and not relationship.arrow):
            continue
        names = " or ".join(relationship.types)
        between = f"from {' or '.join(start) or 'a node'} to {' or '.join(end) or 'a node'}"
        hint = "It leads the other way: turn the arrow." if turned else _ends_of(types[0])
        yield UnknownName(f"No relationship {names} leads {between}.", hint=hint)


def _labels(node: Node) -> tuple[str, ...]:
    return node.labels if node.certain else ()


def _ends_of(relation: Relation) -> str:
    pairs = ", ".join(f"from {start} to {end}" for start, end in relation.ends[:5])
    return f"{relation.name} leads {pairs}."


# What it rests on ----------------------------------------------------------------------------------------------------

_AGGREGATES = _listed("avg collect count max min percentilecont percentiledisc stdev stdevp sum")


def evidence_query(statement: Statement, *, limit: int) -> tuple[str, tuple[tuple[str, str], ...]] | None:
    """The same patterns with their relationships and the nodes whose properties are returned, and these properties as
    pairs of variable and key. None where there is more before the RETURN than patterns, or nothing to return."""
    begin = statement.last_return
    before = [statement.at(place) for place in statement.top if begin is not None and place < begin]
    if begin is None or any(token.word("WITH", "CALL", "UNION", "UNWIND", "RETURN", "YIELD") for token in before):
        return None
    outside = set(statement.top)
    relationships = [item for item in statement.patterns[1] if item.left.begin in outside and item.left.begin < begin]
    names = {item: item.variable or f"kgneo_{number}" for number, item in enumerate(relationships)}
    keys = tuple(_returned_keys(statement, begin))
    wanted = dict.fromkeys([*names.values(), *(variable for variable, _ in keys)])
    if not wanted:
        return None
    added = {item.place: f"`{names[item]}`" for item in relationships if not item.variable}
    pieces: list[Token] = []
    for place, token in enumerate(statement.tokens[:begin]):
        bracket = token.symbol("[")
        if place in added and not bracket:
            pieces.append(_sign(f"[{added[place]}]"))
        pieces.append(token)
        if place in added and bracket:
            pieces.append(_sign(added[place]))
    text = " ".join(token.source for token in pieces)
    shown = ", ".join("`" + name.replace("`", "``") + "`" for name in wanted)
    return f"{text}{_order(statement, begin)} RETURN {shown} LIMIT {limit}", keys


def _sign(source: str) -> Token:
    return Token("symbol", source, source, -1)


def _returned_keys(statement: Statement, begin: int) -> Iterator[tuple[str, str]]:
    """Pairs of variable and key such as `n.key` behind RETURN."""
    variables = {node.variable for node in statement.patterns[0] if node.variable}
    for place in range(begin, len(statement.tokens)):
        token, key = statement.at(place), statement.at(place + 2)
        property_ = token.value in variables and statement.at(place + 1).symbol(".") and key.named
        if token.named and property_ and not statement.at(place - 1).symbol("."):
            yield token.value, key.value


def _order(statement: Statement, begin: int) -> str:
    """The order and the bounds behind a RETURN that takes nothing together, so that the same rows come."""
    behind = [place for place in statement.top if place > begin]
    tail = next((place for place in behind if statement.at(place).word("ORDER", "SKIP", "OFFSET", "LIMIT")), None)
    together = any(statement.at(place).value.lower() in _AGGREGATES for place in behind if place < (tail or 0))
    if tail is None or together or statement.at(begin + 1).word("DISTINCT"):
        return ""
    return " WITH * " + " ".join(token.source for token in statement.tokens[tail:])
