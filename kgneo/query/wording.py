"""Wording: a query graph in plain English, by which a user can check how a question was understood.

Comes in: a checked query graph, names of nodes by their ids, readable names of relationship types and keys that are
codes. Goes out: one phrase, such as "number of crimes with date 11/08/2017 that involve vehicles with make Nissan".
A plain chain reads as a relation path does: "film starring X → their languages".

A variable is a noun (its label) with what is said of it after it: conditions, edges, what must not be. It is told from
where one looks: what is counted for each country is told from the country, as "orders that they placed".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kgneo.english.names import (
    clause_wording,
    hop_wording,
    name_words,
    path_wording,
    plural,
    statement_wording,
)
from kgneo.english.words import UNITS
from kgneo.model import Hop, RelationPath
from kgneo.query.graph import (
    SPANS,
    Aggregate,
    Arithmetic,
    Condition,
    Edge,
    Operator,
    QueryGraph,
    Scalar,
    Selection,
    Value,
)
from kgneo.query.tree import place_of, tree_of

_COMPARED: Mapping[Operator, str] = {
    "=": "",
    "<>": "other than ",
    "<": "less than ",
    "<=": "at most ",
    ">": "more than ",
    ">=": "at least ",
    "contains": "containing ",
}
_OF_TIME: Mapping[Operator, str] = {"<": "before ", "<=": "up to ", ">": "after ", ">=": "from "}
EACH_TIME = ", each time counted"
_AGGREGATES = {"sum": "total", "average": "average", "minimum": "lowest", "maximum": "highest"}
_CALCULATIONS = {"+": "plus", "-": "minus", "*": "times", "/": "divided by", "per cent": "as per cent of"}


def wording(
    graph: QueryGraph, *, nodes: Mapping[str, str] | None = None, names: Mapping[str, str] | None = None
) -> str:
    """`graph`, as `check` passes it, in English. `nodes` names nodes by element id (X, Y, Z where it does not);
    `names` gives readable names of relationship types, labels and keys that are codes."""
    words = _Words(graph, dict(nodes or {}), dict(names or {}))
    return words.chain() or words.asked()


@dataclass
class _Words:
    graph: QueryGraph
    nodes: dict[str, str]
    names: dict[str, str]
    _told: dict[str, bool] = field(default_factory=dict)
    """The variables that were spoken of, and whether as a plural."""

    def __post_init__(self) -> None:
        self.tree = tree_of(self.graph)
        unnamed = [item for item in self.graph.variables if item.ids and not any(id_ in self.nodes for id_ in item.ids)]
        self.topics = {item.name: "XYZ"[number % 3] for number, item in enumerate(unnamed)}

    def chain(self) -> str:
        """A plain chain of edges from one given node, as path_wording tells it; empty for all else."""
        graph = self.graph
        root, answer = graph.root, graph.answer
        given = [item.name for item in graph.variables if item.ids]
        plain = not graph.conditions and not graph.selections and isinstance(answer, Value) and not answer.form
        if not plain or len(given) != 1 or given == [root] or len(graph.edges) != len(graph.variables) - 1:
            return ""
        hops, at = [], given[0]
        while at != root:
            above = self.tree.parents[at]
            edge = next(edge for edge in graph.edges_of(at) if above in (edge.subject, edge.object))
            if edge.absent or not edge.directed or len(edge.relations) != 1:
                return ""
            hops.append(Hop(edge.relations[0], edge.subject == at, graph.variable(above).labels))
            at = above
        if len(hops) != len(graph.edges):
            return ""
        if isinstance(answer, Value) and answer.key:
            hops.append(Hop(answer.key, value=True))
        return path_wording(RelationPath(tuple(hops)), topic=self._topic(given[0]), names=self.names)

    # What is asked for -----------------------------------------------------------------------------------------------

    def asked(self) -> str:
        """The whole phrase."""
        answer = self.graph.answer
        if isinstance(answer, Arithmetic) and answer.operator in SPANS:
            return f"{answer.operator} from {self._property(answer.right)} to {self._property(answer.left)}"
        if isinstance(answer, Arithmetic) and answer.operator == "difference":
            return f"difference between {self._property(answer.left)} and {self._property(answer.right)}"
        if isinstance(answer, Arithmetic):
            words = _CALCULATIONS[answer.operator]
            return f"{self._property(answer.left)} {words} {self._property(answer.right)}"
        if isinstance(answer, Value):
            return self._property(answer, many=self._first(self._place(answer.of)) is None)
        if answer.function == "exists":
            return f"whether {self._existence(answer.value.of)}"
        if answer.function == "share":
            noun = self._noun(self._place(answer.value.of))
            return f"per cent of all {plural(noun)} that are {self._phrase(self._place(answer.value.of), many=True)}"
        text = self._aggregate(answer)
        if answer.per and answer.top:
            many = f"{abs(answer.top)} " if abs(answer.top) > 1 else ""
            return (
                f"the {many}{self._words(answer.per.key)} with the {'highest' if answer.top > 0 else 'lowest'} {text}"
            )
        return f"{text}, for each {self._group(answer.per)}" if answer.per else text

    def _property(self, value: Value, *, many: bool = False) -> str:
        edge = next((edge for edge in self.graph.edges if edge.name == value.of), None)
        if edge is not None and not self._told:
            return f"{self._words(value.key)} with which {self._sentence(edge)}"
        name = self._place(value.of)
        owner = self._again(name) if name in self._told else self._phrase(name, many=many)
        return f"{self._words(value.key)} of {owner}" if value.key else owner

    def _group(self, value: Value) -> str:
        noun = self._noun(self._place(value.of))
        return f"{self._words(value.key)} of the {noun}" if value.key else noun

    def _aggregate(self, item: Aggregate, stop: str = "") -> str:
        value = item.value
        if self._is_each_time(item) and not self._told:
            return f"number of times that {self._sentence(self.graph.edge(value.of))}"
        of = self._phrase(self._place(value.of), many=True, stop=stop)
        if item.function == "count":
            return f"number of {f'different {plural(self._words(value.key))} of ' if value.key else ''}{of}"
        return f"{_AGGREGATES[item.function]} {self._words(value.key)} of {of}"

    def _is_each_time(self, item: Aggregate) -> bool:
        """Whether relationships are counted, and not what they lead to."""
        return item.function == "count" and not item.value.key and item.value.of in {e.name for e in self.graph.edges}

    def _sentence(self, edge: Edge) -> str:
        """An edge as a sentence, with all that is said of both ends."""
        self._told[edge.object] = False
        subject = self._phrase(edge.subject, many=False, article="a ")
        object_ = self._phrase(edge.object, many=False, article="a ")
        relations = [statement_wording(self._name(name), subject, object_) for name in edge.relations]
        return " or ".join(relations) + self._of_edge(edge)

    def _existence(self, root: str) -> str:
        """Given nodes are told about in sentences; of others it is told that there are any."""
        edges = self.graph.edges_of(root)
        if not self.graph.variable(root).ids or any(edge.absent or not edge.directed for edge in edges):
            return f"there are {self._phrase(root, many=True)}"
        subject = self._topic(root)
        self._told[root] = False
        sentences = []
        for edge in edges:
            other = edge.other(root)
            told = self._phrase(other, many=False, article="a ") if other not in self._told else self._again(other)
            ends = (subject, told) if edge.subject == root else (told, subject)
            said = " or ".join(statement_wording(self._name(relation), *ends) for relation in edge.relations)
            sentences.append(said + self._of_edge(edge))
        sentences += [f"{subject} has {self._condition(item)}" for item in self.graph.conditions_of(root)]
        return " and ".join(sentences) or f"{subject} is there"

    # A variable with all that is said of it --------------------------------------------------------------------------

    def _phrase(self, name: str, *, many: bool, stop: str = "", article: str = "") -> str:
        """A variable with what is said of it, but for what lies at `stop`, from where one looks."""
        first = self._first(name)
        several = many or (first is not None and first.limit > 1)
        self._told[name] = several
        counted = self._counted(name)
        ways = [edge for edge in self.graph.edges_of(name) if edge.other(name) not in counted]
        present = [edge for edge in ways if not edge.absent and self._is_new(edge, name, stop)]
        absent = [edge for edge in ways if edge.absent and self._is_new(edge, name, stop)]
        noun = self._topic(name) if self.graph.variable(name).ids else self._noun(name, many=several)
        early, late = self._early_and_late(name)
        conditions = self._conditions(early)
        head, present = self._as_head(name, noun, present, several, stop)
        clauses = self._clauses(name, present, several, stop)
        rest = [" and ".join(pieces) for pieces in (conditions, clauses) if pieces]
        said = f"{head} {(' and ' if rest[0].startswith('that ') else ' ').join(rest)}" if rest else head
        without = "".join(f", but {text}" for text in self._absences(name, absent, several))
        after = "".join(f", {text}" for text in self._conditions(late))
        said = f"{said}{without}{after}"
        said = self._selected(said, first)
        tests = [self._test(item) for item in self._tests(name)]
        said = f"{said} {' and '.join(tests)}" if tests else said
        if first is not None or self.graph.variable(name).ids:
            return said
        return f"an {said}" if article == "a " and _begins_with_vowel(said) else f"{article}{said}"

    def _is_new(self, edge: Edge, name: str, stop: str) -> bool:
        """Whether an edge is to be told at `name`: towards what was not told, or to where one looks from."""
        other = edge.other(name)
        return other == stop or other not in self._told

    def _as_head(self, name: str, noun: str, edges: list[Edge], many: bool, stop: str) -> tuple[str, list[Edge]]:
        """ "capital of X" in place of "city that is capital of X", where nothing else is said by an edge."""
        if len(edges) != 1 or self.graph.variable(name).ids or self.graph.variable(name).labels:
            return noun, edges
        edge = edges[0]
        one = len(edge.relations) == 1 and edge.directed and edge.object == name
        text = hop_wording(Hop(edge.relations[0]), "\0", names=self.names) if one else ""
        if not text.endswith(" of \0") or edge.other(name) in self._told or self.graph.conditions_of(name):
            return noun, edges
        relation = text.removesuffix(" of \0")
        other = self._phrase(edge.other(name), many=many, stop=stop)
        return f"{plural(relation) if many else relation} of {other}{self._of_edge(edge)}", []

    def _clauses(self, name: str, edges: Sequence[Edge], many: bool, stop: str) -> list[str]:
        told: list[str] = []
        for edge in edges:
            other = edge.other(name)
            if other == stop:
                topic, topics = ("they" if self._is_verb_forward(edge, name) else "them"), True
            elif other in self._told:
                topic, topics = self._again(other), False
            else:
                topics = not self.graph.variable(other).ids and not self._first(other)
                topic = self._phrase(other, many=topics, stop=stop)
            told.append(self._clause(edge, name, topic, many=many, topics=topics))
        return told

    def _is_verb_forward(self, edge: Edge, name: str) -> bool:
        return edge.object == name

    def _clause(self, edge: Edge, name: str, topic: str, *, many: bool, topics: bool) -> str:
        forward = edge.object == name and edge.directed
        said = [
            clause_wording(self._name(relation), topic, forward=forward, many=many, topics=topics)
            for relation in edge.relations
        ]
        return " or ".join(dict.fromkeys(said)) + ("" if edge.directed else " (either way)") + self._of_edge(edge)

    def _of_edge(self, edge: Edge) -> str:
        conditions = self.graph.conditions_of(edge.name) if edge.name else ()
        return f" ({' and '.join(self._condition(item) for item in conditions)})" if conditions else ""

    def _absences(self, name: str, edges: Sequence[Edge], many: bool) -> list[str]:
        told = []
        for edge in edges:
            other = edge.other(name)
            topics = not self.graph.variable(other).ids
            topic = self._phrase(other, many=topics) if other not in self._told else self._again(other)
            clause = self._clause(edge, name, topic, many=many, topics=topics)
            told.append(f"none {clause}" if clause.startswith("that ") else f"not {clause}")
        return told

    # Conditions ------------------------------------------------------------------------------------------------------

    def _early_and_late(self, name: str) -> tuple[list[Condition], list[Condition]]:
        """The conditions on a variable; late are those that compare it with one that the clauses speak of first."""
        found = self.graph.conditions_of(name)
        others = [self._place(item.right.of) if isinstance(item.right, Value) else name for item in found]
        unknown = [
            other not in self._told and not self.graph.variable(other).ids and bool(self.graph.edges_of(other))
            for other in others
        ]
        pairs = list(zip(found, unknown, strict=True))
        return [item for item, after in pairs if not after], [item for item, after in pairs if after]

    def _conditions(self, conditions: Sequence[Condition]) -> list[str]:
        told = []
        for item in conditions:
            assert isinstance(item.left, Value)
            if not item.left.key and isinstance(item.right, Value):
                other = self._compared(item.right.of)
                told.append(f"{'the same as' if item.operator == '=' else 'other than'} {other}")
            elif item.right in ((True,), (False,)) and item.operator == "=":
                words = self._words(item.left.key)
                has = words.split()[0] in ("has", "have", "is", "are")
                words = words.split(" ", 1)[-1] if has and " " in words else words
                told.append(f"that are {'' if item.right == (True,) else 'not '}{words}")
            else:
                told.append(f"with {self._condition(item)}")
        return told

    def _condition(self, item: Condition) -> str:
        """A test of a property: "runtime more than 120"."""
        assert isinstance(item.left, Value)
        key = self._words(item.left.key) if item.left.key else "the same node"
        if item.operator in ("present", "missing"):
            return f"{'any' if item.operator == 'present' else 'no'} {key}"
        return f"{key} {self._comparison(item)}"

    def _comparison(self, item: Condition) -> str:
        timed = isinstance(item.left, Value) and _is_time(self._words(item.left.key), item.left)
        compared = (
            _OF_TIME.get(item.operator, _COMPARED.get(item.operator, "")) if timed else _COMPARED.get(item.operator, "")
        )
        if isinstance(item.right, Value):
            same = isinstance(item.left, Value) and item.left.key == item.right.key
            what = "that" if same else f"the {self._words(item.right.key)}"
            return f"{compared}{what} of {self._compared(item.right.of)}"
        values = [_literal(value) for value in item.right]
        if item.operator == "between":
            return f"between {values[0]} and {values[1]}"
        return compared + " or ".join(values)

    def _tests(self, name: str) -> list[Condition]:
        return [
            item
            for item in self.graph.conditions
            if isinstance(item.left, Aggregate) and item.left.per is not None and item.left.per.of == name
        ]

    def _test(self, item: Condition) -> str:
        """ "with more than 100 films that they directed"."""
        assert isinstance(item.left, Aggregate)
        assert item.left.per is not None
        value, compared = item.left.value, self._comparison(item)
        if item.left.function == "count" and not value.key:
            seen = self._seen(self._place(value.of), item.left.per.of)
            return f"with {compared} {seen}{EACH_TIME * self._is_each_time(item.left)}"
        return f"with {self._measure(item.left, item.left.per.of)} {compared}"

    # Selections ------------------------------------------------------------------------------------------------------

    def _first(self, name: str) -> Selection | None:
        return next((item for item in self.graph.selections if item.variable == name), None)

    def _counted(self, name: str) -> set[str]:
        """The neighbours of a variable that are told with what it is ordered or tested by."""
        parts = [item.by for item in self.graph.selections if item.variable == name]
        parts += [item.left for item in self._tests(name)]
        values = [part.value if isinstance(part, Aggregate) else part for part in parts]
        places = {self._place(value.of) for value in values} - {name}
        return {
            edge.other(name)
            for edge in self.graph.edges_of(name)
            if not edge.absent
            and places & self.tree.below(edge.other(name))
            and self.tree.parents[edge.other(name)] == name
        }

    def _selected(self, said: str, first: Selection | None) -> str:
        if first is None:
            return said
        number = f"{first.limit} " if first.limit > 1 else ""
        place = f"{_ordinal(first.offset + 1)} " if first.offset else ""
        said = f"one of {said}" if self.graph.variable(first.variable).ids else said
        return f"the {number}{said} with the {place}{self._order(first)}"

    def _order(self, item: Selection) -> str:
        by = item.by
        if isinstance(by, Aggregate) and by.function == "count" and not by.value.key:
            seen = self._seen(self._place(by.value.of), item.variable)
            return f"{'most' if item.descending else 'fewest'} {seen}{EACH_TIME * self._is_each_time(by)}"
        value = by.value if isinstance(by, Aggregate) else by
        timed = _is_time(self._words(value.key), value) and not isinstance(by, Aggregate)
        extreme = ("latest", "earliest") if timed else ("highest", "lowest")
        word = extreme[not item.descending]
        if isinstance(by, Aggregate):
            return f"{word} {self._measure(by, item.variable)}"
        owner = self._place(by.of)
        return f"{word} {self._words(by.key)}" + (
            "" if owner == item.variable else f" of {self._seen(owner, item.variable)}"
        )

    def _measure(self, item: Aggregate, at: str) -> str:
        """What is measured for each `at`, as seen from there."""
        owner = self._place(item.value.of)
        words = self._words(item.value.key) if item.value.key else ""
        seen = "" if owner == at else f" of {self._seen(owner, at)}"
        if item.function == "count":
            return f"number of {plural(words) + seen if words else self._seen(item.value.of, at)}"
        return f"{_AGGREGATES[item.function]} {words}{seen}"

    def _seen(self, name: str, at: str) -> str:
        """What hangs below `at`, as told from there: "films that they directed"."""
        return self._phrase(self._place(name), many=True, stop=at)

    def _place(self, name: str) -> str:
        return place_of(self.graph, self.tree, name)

    # Words -----------------------------------------------------------------------------------------------------------

    def _name(self, name: str) -> str:
        return self.names.get(name, name)

    def _words(self, name: str) -> str:
        return " ".join(name_words(self._name(name)))

    def _noun(self, name: str, *, many: bool = False) -> str:
        labels = self.graph.variable(name).labels
        noun = " ".join(self._words(label) for label in labels) if labels else "thing"
        return plural(noun) if many else noun

    def _topic(self, name: str) -> str:
        ids = self.graph.variable(name).ids
        if name in self.topics:
            return self.topics[name]
        return " or ".join(dict.fromkeys(self.nodes.get(id_, "another node") for id_ in ids))

    def _again(self, name: str) -> str:
        """A variable that was told before, or will be."""
        if self.graph.variable(name).ids:
            return self._topic(name)
        many = self._told.get(name, False)
        return f"{'those' if many else 'that'} {self._noun(name, many=many)}"

    def _compared(self, name: str) -> str:
        """A variable that something is compared with: told here where nothing else joins it to the rest."""
        name = self._place(name)
        if name in self._told or self.graph.variable(name).ids or self.graph.edges_of(name):
            return self._again(name)
        return self._phrase(name, many=False, article="any ")


def _begins_with_vowel(text: str) -> bool:
    """Whether a text begins with a sound that takes "an"."""
    start = text[:3].lower()
    return start[:1] in tuple("aeiou") and not start.startswith(("uni", "use", "usa", "eu", "one"))


def _is_time(words: str, value: Value) -> bool:
    """Whether a value is a time: by its form, or by a unit of time in its name."""
    of_time = UNITS & {"year", "date", "day", "month", "time"}
    return value.form in ("year", "date", "day first", "month first") or bool(of_time & set(words.split()))


def _literal(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)


def _ordinal(number: int) -> str:
    """ "2nd", "3rd", "11th"."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
