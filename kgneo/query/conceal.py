"""Conceal: a statement that others wrote, made to find nothing that is hidden.

Comes in: a statement that `kgneo.query.statement` passed, and what is hidden. Goes out: a statement in which every node
of a pattern has none of the hidden labels (`(n:Person)` becomes `(n:(Person)&!Secret)`) and every relationship one of
the types that are shown, so that `labels(n)`, `count(n)` and conditions know nothing of others either. What cannot be
made so is refused: properties without a name of their own (`properties(n)`, `n {.*}`, `n[key]`), names of properties
that are hidden of anything, and walks of variable length, on which hidden nodes may lie.
"""

from __future__ import annotations

from collections.abc import Iterator

from kgneo.errors import StatementRefused
from kgneo.query.hidden import Hidden
from kgneo.query.quoting import plain
from kgneo.query.statement import Node, Statement, read_statement

_EXPRESSIONS = (
    "AND", "AS", "BY", "CALL", "CASE", "CONTAINS", "COUNT", "DISTINCT", "ELSE", "EXISTS", "IN", "IS", "LIMIT", "NONE",
    "NOT", "OFFSET", "OR", "RETURN", "SINGLE", "SKIP", "THEN", "UNWIND", "WHEN", "WHERE", "WITH", "XOR",
)  # fmt: skip
"""Words after which a name in brackets is no node, and a square bracket asks nothing of what stands before it."""
_WHOLE = ("keys", "properties")
"""Functions that show the properties that there are."""


def concealed(statement: Statement, hidden: Hidden) -> Statement:
    """The statement that finds nothing hidden. Raises StatementRefused."""
    if not hidden:
        return statement
    for step in (_procedures, _keys, _brackets, _walks):
        for problem in step(statement, hidden):
            raise problem
    return _rewritten(statement, hidden)


def _refused(what: str, instead: str) -> StatementRefused:
    return StatementRefused(f"{what}, and something is left out of this graph by --exclude.", hint=instead)


def _procedures(statement: Statement, hidden: Hidden) -> Iterator[StatementRefused]:  # noqa: ARG001
    """The procedures that may be called list all labels, types and keys."""
    for place, token in enumerate(statement.tokens):
        if token.word("CALL") and statement.at(place + 1).named:
            yield _refused("It lists all names of the graph", "Ask for the schema instead.")


def _keys(statement: Statement, hidden: Hidden) -> Iterator[StatementRefused]:
    """Properties that are hidden of anything, and those that have no name in the text."""
    if not hidden.keys:
        return
    instead = "Write each property that is wanted as n.key."
    for place, token in enumerate(statement.tokens):
        behind, before = statement.at(place + 1), statement.at(place - 1)
        is_key = before.symbol(".") or (behind.symbol(":") and before.symbol("{", ","))
        if token.named and is_key and hidden.hides_anywhere(token.value):
            yield StatementRefused(
                f"The property {token.value!r} is left out of this graph by --exclude.", hint=instead
            )
        if token.named and token.value.lower() in _WHOLE and behind.symbol("("):
            yield _refused(f"It shows all properties ({token.value}())", instead)
        if token.symbol("*") and before.symbol("."):
            yield _refused("It shows all properties (.*)", instead)
        if token.symbol("[") and (before.named or before.symbol(")", "]", "}")) and not _is_place(statement, place):
            yield _refused("It may put the name of a property together", instead)


def _is_place(statement: Statement, place: int) -> bool:
    """Whether the square bracket at `place` is a pattern's, a list after a keyword, or asks for elements by numbers."""
    before, end = statement.at(place - 1), statement.pairs[place]
    if before.word(*_EXPRESSIONS):
        return True
    inner = statement.tokens[place + 1 : end]
    return bool(inner) and all(token.kind == "number" or token.symbol("..", "-") for token in inner)


def _brackets(statement: Statement, hidden: Hidden) -> Iterator[StatementRefused]:  # noqa: ARG001
    """Brackets in the place of a node that were not read as one, or not with the relationship that leads there: those
    of a pattern within the brackets of another one's node are among them."""
    nodes = {node.begin for node in statement.patterns[0]}
    joined = _joined(statement)
    for place, token in enumerate(statement.tokens):
        if not token.symbol("(") or statement.at(place + 1).symbol("("):
            continue  # a path in brackets has its nodes inside
        if (_begins_pattern(statement, place) and place not in nodes) or (
            _ends_arrow(statement, place) and place not in joined
        ):
            yield _refused("It holds a pattern that cannot be told", "Write patterns behind MATCH, as (n:Label).")


def _joined(statement: Statement) -> set[int]:
    """Where the nodes at the ends of relationships begin."""
    return {end.begin for item in statement.patterns[1] for end in (item.left, item.right)}


def _begins_pattern(statement: Statement, place: int) -> bool:
    before = statement.at(place - 1)
    return before.word("MATCH") or (before.symbol("{") and statement.at(place - 2).word("EXISTS", "COUNT", "COLLECT"))


def _ends_arrow(statement: Statement, place: int) -> bool:
    """Whether what stands before the bracket is the end of a relationship."""
    place -= 1
    place -= statement.at(place).symbol(">")
    if not statement.at(place).symbol("-"):
        return False
    before = place - 1
    if not statement.at(before).symbol("]"):
        return statement.at(before).symbol("-")
    opened = next(begin for begin, end in statement.pairs.items() if end == before)
    return statement.at(opened - 1).symbol("-")


def _walks(statement: Statement, hidden: Hidden) -> Iterator[StatementRefused]:
    """Walks on which nodes lie that stand in no bracket: `-[*1..3]-`, `-[]->{1,3}`."""
    if not hidden.labels:
        return
    passing = any(not relationship.single for relationship in statement.patterns[1])
    for place, token in enumerate(statement.tokens):
        passing |= token.symbol("{", "+", "*") and _ends_arrow(statement, place)
        passing |= token.symbol("*") and _opens_arrow(statement, place)
    if passing:
        yield _refused(
            "A pattern of variable length may pass nodes that are not shown",
            "Write each step: (a)-[:TYPE]->(b)-[:TYPE]->(c).",
        )


def _opens_arrow(statement: Statement, place: int) -> bool:
    """Whether the star at `place` stands in the square bracket of a relationship."""
    around = max((begin for begin, end in statement.pairs.items() if begin < place < end), default=-1)
    return statement.at(around).symbol("[") and statement.at(around - 1).symbol("-")


# Writing it anew -----------------------------------------------------------------------------------------------------


def _rewritten(statement: Statement, hidden: Hidden) -> Statement:
    """The text again, with its lines, in which patterns name what is shown."""
    nodes, relationships = statement.patterns
    joined = _joined(statement)
    pieces = {place: token.source for place, token in enumerate(statement.tokens)}
    for node in nodes if hidden.nodes else ():
        if node.begin in joined or _is_pattern(statement, node):
            _narrow(statement, pieces, node.begin, "&".join(f"!{plain(label)}" for label in hidden.nodes))
    if hidden.relations is not None:
        if not hidden.relations and relationships:
            raise _refused("It follows relationships", "All types of them are left out.")
        shown = "|".join(map(plain, hidden.relations))
        for item in relationships:
            if statement.at(item.place).symbol("[") and not (item.certain and item.types):
                _narrow(statement, pieces, item.place, shown)
            elif not statement.at(item.place).symbol("["):
                pieces[item.place] = f"[:{shown}]{pieces[item.place]}"
    return read_statement(_text(statement, pieces))


def _is_pattern(statement: Statement, node: Node) -> bool:
    """Whether a single node is a pattern of its own, and no name of something in brackets."""
    place = node.begin
    if statement.at(place - 1).symbol("=") and statement.at(place - 2).named:
        place -= 2  # the name of a path
        if not (statement.at(place - 1).word("MATCH") or statement.at(place - 1).symbol("{", ",")):
            return False
    before = statement.at(place - 1)
    if before.symbol(","):
        return _clause(statement, place) in ("", "MATCH")
    calculates = before.symbol("+", "-", "*", "/", "%", "^", "<", ">", "~", "=")
    return not calculates and not before.word(*_EXPRESSIONS)


def _clause(statement: Statement, place: int) -> str:
    """The keyword of the clause that `place` stands in; "" for the first one in curly brackets, which needs none; of
    what stands in other brackets that of a value."""
    opened = {end: begin for begin, end in statement.pairs.items()}
    while (place := place - 1) >= 0 and place not in statement.pairs:
        token = statement.at(place)
        if token.word("MATCH", "RETURN", "UNWIND", "WHERE", "WITH") and not statement.at(place + 1).symbol("="):
            return token.value.upper()
        place = opened.get(place, place)
    return "" if statement.at(place).symbol("{") else "RETURN"


def _narrow(statement: Statement, pieces: dict[int, str], bracket: int, test: str) -> None:
    """Add to what the bracket at `bracket` asks for that `test` holds, too."""
    place = bracket + 1
    if statement.at(place).named and not statement.at(place).word("WHERE", "IS"):
        place += 1
    if not (statement.at(place).symbol(":") or statement.at(place).word("IS")):
        pieces[place - 1] += f":{test}"
        return
    begin = place + 1
    end = begin
    while _is_of_expression(statement, end) and end < statement.pairs[bracket]:
        end = statement.pairs.get(end, end) + 1
    for inner in range(begin, end):
        if statement.at(inner).symbol(":"):
            pieces[inner] = "" if statement.at(inner - 1).symbol("|") else "&"
    pieces[begin] = f"({pieces[begin]}"
    pieces[end - 1] += f")&({test})"


def _is_of_expression(statement: Statement, place: int) -> bool:
    token = statement.at(place)
    return (token.named and not token.word("WHERE")) or token.symbol(":", "|", "&", "!", "%", "(")


def _text(statement: Statement, pieces: dict[int, str]) -> str:
    """The pieces with the blanks and line ends of the statement between them."""
    text, end = "", 0
    for place, token in enumerate(statement.tokens):
        text += statement.text[end : token.place] + pieces[place]
        end = token.place + len(token.source)
    return text
