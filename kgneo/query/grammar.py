"""Grammar: GBNF of the query graphs that a schema allows, for models whose replies are held to one.

Comes in: a catalogue, and the literals that a question has. Goes out: the rules of query graphs in JSON, as `to_json`
lays them out, which `check` finds nothing wrong with. A JSON schema cannot say that a name is declared before it is
used, or that a relationship type joins these two labels; a small model gets both wrong. Here each variable after the
first has a label that some relationship joins to an earlier one's, the next edge joins just these, and conditions,
orders and answers name what is there. So rules differ by the labels of all variables: how many variables there may be
is what LONGEST allows.

Less can be said than a query graph can: trees of named labels, one type an edge, at most one named edge, no comparison
of two properties, no calculation, no number over all, one order or one test of a count, two columns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from kgneo.query.catalogue import Catalogue, Key, Relation
from kgneo.query.graph import ANY_DEPTH, TEXTUAL

LONGEST = 400_000
"""Characters of a grammar at most, so that reading it takes less time than a small model's reply."""
VARIABLES = (4, 3, 2, 1)
"""How many variables there may be, tried in this order."""
MOST_CONDITIONS = 3
"""Conditions of one query graph, without a test of a count."""
FIRST_FEW = 100
"""An order keeps fewer than this."""
EQUAL = ("=", "<>")
COMPARED = (*EQUAL, "<", "<=", ">", ">=")
EXTREMES = ("minimum", "maximum")
FIGURES = ("sum", "average", *EXTREMES)
BEGIN, EDGES, CONDITIONS, SELECTIONS = '{"variables": [', '"edges": [', '"conditions": [', '"selections": ['
ABSENT, DESCENDING, LIMIT, ANSWER = ', "absent": true}', ', "descending": true', ', "limit": ', '"answer": '
STEPS = f', "steps": {list(ANY_DEPTH)}'
OPERATOR, RIGHT, END = ', "operator": "', '", "right": [', "]}"
FUNCTION, COUNTED, PER = '{"function": "', 'count", "value": {"of": "x0"}', ', "per": '
NEXT, CLOSE, COLUMNS = ", ", "], ", ', "columns": ['


@dataclass(frozen=True)
class Literals:
    """What conditions may compare with: `words` of a question and what stands between them, of which any run is a text;
    `numbers` and `dates` as JSON has them; `known` are values that the graph has, by the label or relationship type and
    the key that has them. Where any is known, a text is compared as a whole with these alone."""

    words: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    known: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    presence: bool = True


def query_grammar(catalogue: Catalogue, literals: Literals) -> str | None:
    """GBNF with a rule `root`; None for a graph without labels, or where even one variable takes more than LONGEST."""
    for most in VARIABLES:
        writer = _Writer(catalogue, literals, most)
        try:
            return writer.grammar() if catalogue.labels else None
        except _TooLongError:
            continue
    return None


class _TooLongError(Exception):
    pass


@dataclass(frozen=True, slots=True)
class _Draft:
    """What was written of a query graph: the labels of its variables by their numbers, which of the variables that have
    an edge are not behind an absent one, and the number and the type of a named edge."""

    labels: tuple[int, ...]
    visible: tuple[bool, ...] = (True,)
    named: tuple[int, str] | None = None


class _Writer:
    """The rules of one grammar. A method that gives a text gives what can stand in a rule, mostly the name of one."""

    def __init__(self, catalogue: Catalogue, literals: Literals, most: int) -> None:
        self._labels = catalogue.labels
        self._relations = catalogue.relations
        self._literals = literals
        self._most = most
        self._names: dict[tuple[object, ...], str] = {}
        self._bodies: dict[str, str] = {}
        self._length = 0
        self._ways = self._all_ways()

    def grammar(self) -> str:
        first = [
            f"{_text(_labelled(0, label.name))} {self._more(_Draft((number,)))}"
            for number, label in enumerate(self._labels)
        ]
        root = f"root ::= {_text(BEGIN)} {_either(first)}\n"
        return root + "".join(f"{name} ::= {body}\n" for name, body in self._bodies.items())

    def _rule(self, write: Callable[[], str], *matter: object) -> str:
        """The name of the rule for this matter, which is written once; empty where nothing can stand in it."""
        known = self._names.get(matter)
        if known is None:
            name = f"{matter[0]}-{len(self._names)}"
            self._names[matter] = name
            body = write()
            self._length += len(body)
            if self._length > LONGEST:
                raise _TooLongError
            if body:
                self._bodies[name] = body
            self._names[matter] = known = name if body else ""
        return known

    def _all_ways(self) -> dict[tuple[int, int], list[tuple[Relation, bool]]]:
        """The relationship types between two labels, each with whether it leads from the first to the second."""
        numbers = {label.name: number for number, label in enumerate(self._labels)}
        ways: dict[tuple[int, int], list[tuple[Relation, bool]]] = {}
        every = [(start, end) for start in numbers for end in numbers]
        for relation in self._relations:
            for start, end in relation.ends or every:
                if start in numbers and end in numbers:
                    ways.setdefault((numbers[start], numbers[end]), []).append((relation, True))
                    ways.setdefault((numbers[end], numbers[start]), []).append((relation, False))
        return ways

    # Variables and edges

    def _more(self, draft: _Draft) -> str:
        """The end of the variables and what comes then, or another variable."""
        return self._rule(lambda: self._more_of(draft), "more", draft)

    def _more_of(self, draft: _Draft) -> str:
        number = len(draft.labels)
        then = f"{_text(EDGES)} {self._edge(draft)}" if number > 1 else self._rest(draft)
        others = sorted({other for label in draft.labels for start, other in self._ways if start == label})
        more = [
            f"{_text(_labelled(number, self._labels[other].name))} "
            + self._more(replace(draft, labels=(*draft.labels, other)))
            for other in (others if number < self._most else ())
        ]
        return f"{_text(CLOSE)} {then}" + (f" | {_text(NEXT)} {_either(more)}" if more else "")

    def _edge(self, draft: _Draft) -> str:
        """The edge of the next variable to an earlier one, and what comes then."""
        return self._rule(lambda: self._edge_of(draft), "edge", draft)

    def _edge_of(self, draft: _Draft) -> str:
        number = len(draft.visible)
        if number == len(draft.labels):
            return f"{_text(CLOSE)} {self._rest(draft)}"
        choices = _either(choice for parent in range(number) for choice in self._joined(draft, parent))
        return choices if number == 1 else f"{_text(NEXT)} {choices}"

    def _joined(self, draft: _Draft, parent: int) -> Iterator[str]:
        """An edge between the next variable and `parent`: there, absent, or there with a name; and what comes then."""
        number, seen = len(draft.visible), draft.visible[parent]
        ends = (draft.labels[parent], draft.labels[number])
        ways = self._ways.get(ends, [])
        if not ways:
            return
        plain = self._rule(lambda: _any(_edge(parent, number, *way) for way in ways), "join", parent, number, *ends)
        chained = self._rule(lambda: _any(self._chained(parent, number, *ends)), "chain", parent, number, *ends)
        steps = f" | {chained} {_text(STEPS)}" if chained else ""
        yield f"({plain}{steps}) {_text('}')} {self._edge(replace(draft, visible=(*draft.visible, seen)))}"
        if not seen:
            return
        yield f"{plain} {_text(ABSENT)} {self._edge(replace(draft, visible=(*draft.visible, False)))}"
        for relation, forward in ways if draft.named is None else ():
            if relation.keys:
                named = replace(draft, visible=(*draft.visible, True), named=(number - 1, relation.name))
                text = _edge(parent, number, relation, forward) + f', "name": "r{number - 1}"}}'
                yield f"{_text(text)} {self._edge(named)}"

    def _chained(self, parent: int, number: int, *ends: int) -> Iterator[str]:
        """Edges that may be several relationships: of types that join two nodes of a label."""
        for relation, forward in self._ways.get((ends[0], ends[1]), []):
            if any(start == end for start, end in relation.ends):
                yield _edge(parent, number, relation, forward)

    # Conditions, orders and answers

    def _rest(self, draft: _Draft) -> str:
        """What comes after the edges: conditions, then an order, then the answer."""
        return self._rule(lambda: self._rest_of(draft), "rest", draft)

    def _rest_of(self, draft: _Draft) -> str:
        conditions, test = self._conditions(draft), self._test(draft)
        ordered = self._ordered(draft)
        choices = [ordered]
        if test:
            choices.append(f"{_text(CONDITIONS)} {test}")
        if conditions:
            ends = [f"{_text(CLOSE)} {ordered}", *([f"{_text(NEXT)} {test}"] if test else ())]
            more = f"({_text(NEXT)} {conditions}){{0,{MOST_CONDITIONS - 1}}}"
            choices.append(f"{_text(CONDITIONS)} {conditions} {more} {_either(ends)}")
        return " | ".join(choices)

    def _conditions(self, draft: _Draft) -> str:
        """A condition on a variable, or on the named edge; or that two variables are not the same."""
        owners = [(f"x{number}", self._labels[label].name, self._labels[label].keys)
                  for number, label in enumerate(draft.labels)]  # fmt: skip
        if draft.named is not None:
            owners.append((f"r{draft.named[0]}", draft.named[1], self._keys_of(draft.named[1])))
        seen = [number for number, visible in enumerate(draft.visible) if visible]
        pairs = [pair for pair in combinations(seen, 2) if draft.labels[pair[0]] == draft.labels[pair[1]]]

        def choices() -> Iterator[str]:
            yield from filter(None, (self._on(*owner) for owner in owners))
            yield from (_text(_unequal(*pair)) for pair in pairs)

        return self._rule(lambda: " | ".join(choices()), "one", *owners, *pairs)

    def _on(self, of: str, owner: str, keys: tuple[Key, ...]) -> str:
        """A condition on a property of a variable or edge with that label or type."""
        return self._rule(
            lambda: " | ".join(text for key in keys for text in self._tested(of, owner, key)), "on", of, owner
        )

    def _tested(self, of: str, owner: str, key: Key) -> Iterator[str]:
        """Conditions on a property, as its kind of values allows."""
        kind = key.kind
        left = f'{{"left": {{"of": "{of}", "key": {_json(key.name)}'
        formed = left + (f', "form": "{kind}"' if kind in ("list", "date") else "") + '}, "operator": "'
        operators = {"text": EQUAL, "truth": EQUAL[:1], "list": EQUAL}.get(kind, COMPARED)
        value = self._value(owner, key)
        if value:
            yield f"{_text(formed)} ({_any(operators)}) {_text(RIGHT)} {value} {_text(END)}"
        if value and kind in ("number", "date"):
            yield f"{_text(formed + 'between' + RIGHT)} {value} {_text(NEXT)} {value} {_text(END)}"
        if kind == "text" and self._literals.words:
            begin = f"{_text(formed)} ({_any(TEXTUAL)}) {_text(RIGHT)}"
            yield f"{begin} {self._rule(self._words, 'words')} {_text(END)}"
        if self._literals.presence:
            yield _text(left + '}, "operator": "') + f" ({_any(('present', 'missing'))}) " + _text('"}')

    def _value(self, owner: str, key: Key) -> str:
        """What a property is compared with; none where the question has no such literal."""
        literals, kind = self._literals, key.kind
        if kind in ("text", "list") or (kind == "other" and not literals.numbers):
            if not literals.known:
                return self._rule(self._words, "words") if literals.words else ""
            known = literals.known.get((owner, key.name), ())
            return self._rule(lambda: _any(map(_json, known)), "known", known)
        return self._rule(lambda: _any(self._choices(kind)), "value", kind)

    def _choices(self, kind: str) -> Iterable[str]:
        if kind == "truth":
            return ("true", "false")
        return map(_json, self._literals.dates) if kind == "date" else self._literals.numbers

    def _words(self) -> str:
        """A run of the question's words."""
        quote = _text('"')
        return f"{quote} {_either(self._run(number) for number in range(len(self._literals.words)))} {quote}"

    def _run(self, number: int) -> str:
        """The words from that one to any other."""
        return self._rule(lambda: self._run_of(number), "run", number)

    def _run_of(self, number: int) -> str:
        word, literals = _text(_inner(self._literals.words[number])), self._literals
        if number + 1 == len(literals.words):
            return word
        return f"{word} ({_text(_inner(literals.between[number]))} {self._run(number + 1)})?"

    def _test(self, draft: _Draft) -> str:
        """The last condition, on how many of another variable there are for each of what is asked for, or how many of
        these have the same value, and what comes then; none where the question has no number."""
        numbers = self._rule(lambda: _any(self._literals.numbers), "value", "number")
        others = [number for number, seen in enumerate(draft.visible) if number and seen]
        groups = [_value("x0", key) for key in self._labels[draft.labels[0]].keys]
        pairs = [*((f"x{number}", '{"of": "x0"}') for number in others), *(("x0", group) for group in groups)]
        if not numbers or not pairs:
            return ""
        counted = _either(
            _text(f'{{"left": {{"function": "count", "value": {{"of": "{of}"}}, "per": {per}}}') for of, per in pairs
        )
        compared = f"{_text(OPERATOR)} ({_any(COMPARED)}) {_text(RIGHT)} {numbers} {_text(END)}"
        return self._rule(lambda: f"{counted} {compared} {_text(CLOSE)} {self._plain_answer(draft)}", "test", draft)

    def _ordered(self, draft: _Draft) -> str:
        """An order with an answer that looks at nothing below it, or any answer."""
        return self._rule(lambda: self._ordered_of(draft), "ordered", draft)

    def _ordered_of(self, draft: _Draft) -> str:
        orders, anyhow = list(self._orders(draft)), self._answer(draft)
        if not orders:
            return anyhow
        few = [number for number in self._literals.numbers if number.isdigit() and 1 < int(number) < FIRST_FEW]
        limit = f" ({_text(LIMIT)} ({_any(few)}))?" if few else ""
        chosen = f"{_text(SELECTIONS)} {_either(orders)} ({_text(DESCENDING)})?{limit}"
        begin, end = _text(SELECTIONS + '{"variable": "x0"' + LIMIT), f"{_text('}], ')} {self._plain_answer(draft)}"
        some = f" | {begin} ({_any(few)}) {end}" if few else ""
        return f"{chosen} {end}{some} | {anyhow}"

    def _orders(self, draft: _Draft) -> Iterator[str]:
        """What the first few are chosen by, without the closing brace."""
        for key in self._labels[draft.labels[0]].keys:
            yield _text('{"variable": "x0", "by": {"function": "count", "value": {"of": "x0"}, "per": '
                        + _value("x0", key) + "}")  # fmt: skip
        for number, label in enumerate(draft.labels):
            if draft.visible[number]:
                if number in (0, len(draft.labels) - 1):  # below others something may hang that conditions compare
                    yield from self._by_keys(f"x{number}", f"x{number}", self._labels[label].keys)
                if number:
                    counted = f'{{"function": "count", "value": {{"of": "x{number}"}}}}'
                    yield _text(f'{{"variable": "x0", "by": {counted}')
        if draft.named is not None:
            yield from self._by_keys("x0", f"r{draft.named[0]}", self._keys_of(draft.named[1]))

    def _by_keys(self, variable: str, of: str, keys: tuple[Key, ...]) -> Iterator[str]:
        """Orders of a variable by what has an order."""
        ordered = tuple(key for key in keys if key.kind not in ("truth", "list"))
        values = self._rule(lambda: _any(_value(of, key) for key in ordered), "ordering", of, ordered)
        if values:
            start = _text(f'{{"variable": "{variable}", "by": ')
            yield f"{start} {values}"

    def _plain_answer(self, draft: _Draft) -> str:
        """What is asked for is about the first variable alone."""
        keys = self._labels[draft.labels[0]].keys
        return self._rule(lambda: f"{_answered(_asked('x0', keys))}{_beside(keys)}", "plain", keys)

    def _answer(self, draft: _Draft) -> str:
        """What is asked for, also for each of something, and of the named edge."""
        return self._rule(lambda: self._answer_of(draft), "answer", draft)

    def _answer_of(self, draft: _Draft) -> str:
        keys = self._labels[draft.labels[0]].keys
        choices = [self._plain_answer(draft)]
        if draft.named is not None:
            name, own = f"r{draft.named[0]}", self._keys_of(draft.named[1])
            choices.append(self._rule(lambda: _answered(_asked(name, own)[1:]), "asked", name, own))
        measured = self._rule(lambda: _any([COUNTED, *_figures("x0", keys, ("number",))]), "measured", keys)
        groups = [
            self._rule(lambda: _any(_grouped(number, own)), "group", number, own)  # noqa: B023 - called at once
            for number, own in ((number, self._labels[label].keys) for number, label in enumerate(draft.labels))
            if draft.visible[number]
        ]
        if any(groups):
            each = f"{measured} {_text(PER)} {_either(filter(None, groups))} {_text('}}')}"
            choices.append(f"{_text(ANSWER + FUNCTION)} {each}")
        return " | ".join(choices)

    def _keys_of(self, relation: str) -> tuple[Key, ...]:
        return next(item.keys for item in self._relations if item.name == relation)


def _labelled(number: int, label: str) -> str:
    return f'{{"name": "x{number}", "labels": [{_json(label)}]}}'


def _edge(parent: int, number: int, relation: Relation, forward: bool) -> str:
    """An edge without its closing brace."""
    subject, object_ = (parent, number) if forward else (number, parent)
    return f'{{"subject": "x{subject}", "relations": [{_json(relation.name)}], "object": "x{object_}"'


def _unequal(one: int, other: int) -> str:
    return f'{{"left": {{"of": "x{one}"}}, "operator": "<>", "right": {{"of": "x{other}"}}}}'


def _asked(of: str, keys: Sequence[Key]) -> list[str]:
    """A node; its properties, and figures over them; how many there are, and whether any."""
    node = f'{{"of": "{of}"}}'
    figures = [f"{FUNCTION}{text}}}" for text in _figures(of, keys, ("number", "date"))]
    whole = [f'{FUNCTION}{function}", "value": {node}}}' for function in ("count", "share", "exists")]
    return [node, *(_value(of, key) for key in keys), *figures, *(whole if of == "x0" else ())]


def _figures(of: str, keys: Iterable[Key], kinds: Sequence[str]) -> Iterator[str]:
    """Functions over properties, from the function's name on, without the closing brace."""
    for key in keys:
        if key.kind in kinds:
            functions = FIGURES if key.kind == "number" else EXTREMES
            yield from (f'{function}", "value": {_value(of, key)}' for function in functions)


def _grouped(number: int, keys: Iterable[Key]) -> list[str]:
    """What there is one number for: the values of a property, or the nodes but those that are counted."""
    of = f"x{number}"
    return [*([f'{{"of": "{of}"}}'] if number else ()), *(_value(of, key) for key in keys)]


def _answered(asked: Iterable[str]) -> str:
    return f"{_text(ANSWER)} ({_any(asked)}) {_text('}')}"


def _beside(keys: Sequence[Key]) -> str:
    """Another choice: a node or a property with one or two other properties beside it."""
    if not keys:
        return ""
    values = f"({_any(_value('x0', key) for key in keys)})"
    first = _any(['{"of": "x0"}', *(_value("x0", key) for key in keys)])
    return f" | {_text(ANSWER)} ({first}) {_text(COLUMNS)} {values} ({_text(NEXT)} {values})? {_text(']}')}"


def _value(of: str, key: Key) -> str:
    return f'{{"of": "{of}", "key": {_json(key.name)}}}'


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _inner(text: str) -> str:
    """A text as it stands between the quotes of JSON."""
    return _json(text)[1:-1]


def _text(text: str) -> str:
    """A literal of GBNF."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _any(texts: Iterable[str]) -> str:
    """Any of these literals."""
    return " | ".join(map(_text, texts))


def _either(choices: Iterable[str]) -> str:
    return f"({' | '.join(choices)})"
