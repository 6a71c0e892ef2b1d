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
    NAMED_FORMS,
    SPANS,
    Aggregate,
    Arithmetic,
    Condition,
    Edge,
    Expression,
    Number,
    Operator,
    QueryGraph,
    Scalar,
    Selection,
    Value,
    Whole,
    aggregates_of,
    is_duration,
    matched_values,
)
from kgneo.query.nested import compares_wholes, nested
from kgneo.query.tree import place_of, tree_of

_COMPARED: Mapping[Operator, str] = {
    "=": "",
    "<>": "other than ",
    "<": "less than ",
    "<=": "at most ",
    ">": "more than ",
    ">=": "at least ",
    "contains": "containing ",
    "starts with": "starting with ",
    "ends with": "ending with ",
    "about": "about ",
}
_OF_TIME: Mapping[Operator, str] = {"<": "before ", "<=": "up to ", ">": "after ", ">=": "from "}
EACH_TIME = ", each time counted"
_LENGTHS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))
_AGGREGATES = {"sum": "total", "average": "average", "minimum": "lowest", "maximum": "highest"}
_CALCULATIONS = {
    "+": "plus",
    "-": "minus",
    "*": "times",
    "/": "divided by",
    "%": "modulo",
    "per cent": "as per cent of",
}


def wording(
    graph: QueryGraph, *, nodes: Mapping[str, str] | None = None, names: Mapping[str, str] | None = None
) -> str:
    """`graph`, as `check` passes it, in English. `nodes` names nodes by element id (X, Y, Z where it does not);
    `names` gives readable names of relationship types, labels and keys that are codes."""
    words = _Words(nested(graph), dict(nodes or {}), dict(names or {}))
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
        unlabelled = len(given) == 1 and not graph.variable(root).labels
        other = Condition(Value(root), "<>", Value(given[0])) if unlabelled else None
        said = set(graph.conditions) - {other} or graph.selections or graph.alternatives or graph.columns
        plain = not said and isinstance(answer, Value) and not answer.form
        if not plain or len(given) != 1 or given == [root] or len(graph.edges) != len(graph.variables) - 1:
            return ""
        hops, at = [], given[0]
        while at != root:
            above = self.tree.parents[at]
            edge = next(edge for edge in graph.edges_of(at) if above in (edge.subject, edge.object))
            if edge.absent or edge.optional or edge.is_way or not edge.directed or len(edge.relations) != 1:
                return ""
            hops.append(Hop(edge.relations[0], edge.subject == at, graph.variable(above).labels))
            at = above
        if len(hops) != len(graph.edges):
            return ""
        if isinstance(answer, Value) and answer.key:
            hops.append(Hop(answer.key, value=True))
        topic = self._topic(given[0])
        told = path_wording(RelationPath(tuple(hops)), topic=topic, names=self.names)
        return f"{told}, other than {topic}" if graph.conditions and len(graph.edges) > 1 else told

    # What is asked for -----------------------------------------------------------------------------------------------

    def asked(self) -> str:
        """The whole phrase."""
        text = self._asked()
        closed = [item for item in self.graph.conditions if compares_wholes(item)]
        if closed and not self._told and text == "whether":
            return f"whether {' and '.join(self._closed(item) for item in closed)}"
        where = [" or ".join(self._option(option) for option in options) for options in self.graph.alternatives]
        where += [self._closed(item) for item in closed]
        columns = [self._column(item) for item in self.graph.columns]
        text += f", where {' and '.join(where)}" if where else ""
        return f"{text}, with {' and '.join(columns)}" if columns else text

    def _asked(self) -> str:
        answer = self.graph.answer
        if isinstance(answer, Arithmetic):
            return self._calculated(answer)
        if isinstance(answer, Value):
            return self._property(answer, many=self._first(self._place(answer.of)) is None)
        if isinstance(answer, Whole):
            return self._expressed(answer)
        if answer.function == "exists":
            closed = [item for item in self.graph.conditions if compares_wholes(item)]
            return "whether" if closed else f"whether {self._existence(self._place(answer.value.of))}"
        if answer.function == "share":
            noun = self._noun(self._place(answer.value.of))
            return f"per cent of all {plural(noun)} that are {self._phrase(self._place(answer.value.of), many=True)}"
        if answer.each is not None:
            counted = self._aggregate(Aggregate("count", answer.value))
            return f"{_AGGREGATES[answer.function]} {counted}, for each {self._group(answer.each)}"
        if answer.per and not answer.per.key and self._place(answer.per.of) == self.graph.root != answer.value.of:
            root = self.graph.root
            return f"{self._phrase(root, many=True)}, with {self._measure(answer, root)}"
        text = self._aggregate(answer)
        if answer.per and answer.top:
            many = f"{abs(answer.top)} " if abs(answer.top) > 1 else ""
            group = f"{many}{_year_of(answer.per)}{self._key(answer.per)}"
            return f"the {group} with the {'highest' if answer.top > 0 else 'lowest'} {text}"
        return f"{text}, for each {self._group(answer.per)}" if answer.per else text

    # Expressions -----------------------------------------------------------------------------------------------------

    def _calculated(self, item: Arithmetic) -> str:
        if item.operator in SPANS:  # what is said first is described, later it is "that"
            begin, end = self._expressed(item.right), self._expressed(item.left)
            return f"{item.operator} from {begin} to {end}"
        left, right = self._expressed(item.left), self._expressed(item.right)
        if item.operator == "difference":
            return f"difference between {left} and {right}"
        return f"{left} {_CALCULATIONS[item.operator]} {right}"

    def _expressed(self, part: Expression | Number) -> str:
        """What is calculated with or compared, told for itself."""
        if isinstance(part, Whole):
            return _Words(part.graph, self.nodes, self.names).asked()
        if isinstance(part, Arithmetic):
            return self._calculated(part)
        if isinstance(part, Aggregate):
            return self._aggregate(part)
        return self._property(part) if isinstance(part, Value) else _literal(part)

    def _closed(self, item: Condition) -> str:
        """A comparison of numbers over all."""
        return f"{self._expressed(item.left)} is {self._comparison(item)}"

    def _option(self, conditions: Sequence[Condition]) -> str:
        """One of several alternatives; what it speaks of was told."""
        told = []
        for item in conditions:
            value = next(iter(matched_values(item.left)), None)
            if value is not None and not value.key and item.right == ():
                told.append(self._presence(value.of, "any" if item.operator == "present" else "no"))
            elif value is not None and self._place(value.of) != self.graph.root:
                told.append(f"{self._again(self._place(value.of))} have {self._condition(item)}")
            else:
                told.append(self._condition(item))
        return " and ".join(told)

    def _presence(self, name: str, how_many: str) -> str:
        """ "they directed any films": of what may be missing."""
        lower = self._place(name)
        noun = f"{how_many} {self._noun(lower, many=True)}"
        edge = next((e for e in self.graph.edges_of(lower) if e.optional and self.tree.lower(e) == lower), None)
        if edge is None:
            return f"there are {noun}"
        ends = ("they", noun) if edge.object == lower else (noun, "them")
        return " or ".join(statement_wording(self._name(relation), *ends) for relation in edge.relations)

    def _column(self, item: Expression) -> str:
        """What stands beside each answer."""
        root = self.graph.root
        alone = isinstance(self.graph.answer, Aggregate) and self.graph.answer.per is None
        if isinstance(item, Aggregate):
            return self._aggregate(item) if alone else self._measure(item, root)
        if isinstance(item, Value) and self._place(item.of) == root and item.key:
            return f"their {self._key(item)}"
        return self._expressed(item)

    def _property(self, value: Value, *, many: bool = False) -> str:
        edge = self._edge(value.of)
        if edge is not None and edge.is_way:
            return self._way(edge, "number of steps" if value.form else "shortest ways")
        if edge is not None and not self._told:
            return f"{_year_of(value)}{self._key(value)} with which {self._sentence(edge)}"
        if edge is not None and value.key:
            return f"{_year_of(value)}{self._of_relation(value, edge)}"
        name = self._place(value.of)
        owner = self._again(name) if name in self._told else self._phrase(name, many=many)
        return f"{_year_of(value)}{self._key(value)} of {owner}" if value.key else owner

    def _way(self, edge: Edge, what: str) -> str:
        """ "shortest ways from X to Y (in up to 6 steps)"."""
        ends = [
            self._again(name) if name in self._told else self._phrase(name, many=False, article="a ", alone=True)
            for name in (edge.subject, edge.object)
        ]
        along = " or ".join(self._words(relation) for relation in edge.relations)
        return f"{what} from {ends[0]} to {ends[1]}{f' along {along}' if along else ''}{self._of_edge(edge)}"

    def _steps(self, edge: Edge) -> str:
        """How many steps a way has, and what is not on it."""
        least, most = edge.steps
        number = f"{least}" if least == most else f"up to {most}" if least == 1 else f"{least} to {most}"
        number = number if most else "any number of"
        several = [self._avoided(name) for name in edge.avoiding]
        without = f", without passing {' or '.join(several)}" if several else ""
        busy = f", past nothing with more than {edge.busiest} relationships" if edge.busiest else ""
        return f" (in {number} step{'' if most == 1 else 's'}{without}{busy})"

    def _avoided(self, name: str) -> str:
        variable = self.graph.variable(name)
        return self._topic(name) if variable.ids else f"any {self._noun(name)}"

    def _key(self, value: Value) -> str:
        if self.graph.is_distance(value):
            return "number of steps"
        part = f"{value.form} of " if value.form == "length" or value.form in NAMED_FORMS else ""
        return f"{part}{self._words(value.key)}"

    def _edge(self, name: str) -> Edge | None:
        """The edge of that name, where it is one's."""
        return next((edge for edge in self.graph.edges if edge.name == name), None)

    def _of_relation(self, value: Value, edge: Edge) -> str:
        """The property of an edge that was told."""
        relations = " or ".join(f"“{self._words(name)}”" for name in edge.relations)
        return f"{self._key(value)} of the relation {relations}"

    def _group(self, value: Value) -> str:
        edge = self._edge(value.of)
        if edge is not None and value.key:
            return self._of_relation(value, edge)
        noun = self._noun(self._place(value.of))
        return f"{_year_of(value)}{self._key(value)} of the {noun}" if value.key else noun

    def _aggregate(self, item: Aggregate, stop: str = "") -> str:
        value = item.value
        edge = next((edge for edge in self.graph.edges if edge.is_way and edge.name == value.of), None)
        if edge is not None:
            what = _AGGREGATES.get(item.function, "") + " number of steps" if value.form else "number of shortest ways"
            return self._way(edge, what.strip())
        if self._told:
            words = "number" if item.function == "count" else _AGGREGATES.get(item.function, item.function)
            return (
                f"{words} of {f'{self._words(value.key)} of ' if value.key else ''}{self._again(self._place(value.of))}"
            )
        edge = self._edge(value.of)
        if edge is not None and not value.key and item.function == "count":
            return f"number of times that {self._sentence(edge)}"
        if edge is not None:
            words = _AGGREGATES.get(item.function, "number of different")
            key = plural(self._key(value)) if item.function == "count" else self._key(value)
            return f"{words} {key} with which {self._sentence(edge)}"
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
        apart = any(edge.absent or (not edge.directed and edge.relations) for edge in edges)
        if not self.graph.variable(root).ids or apart:
            return f"there are {self._phrase(root, many=True)}"
        subject = self._topic(root)
        self._told[root] = False
        sentences = []
        for edge in edges:
            other = edge.other(root)
            told = self._phrase(other, many=False, article="a ") if other not in self._told else self._again(other)
            ends = (subject, told) if edge.subject == root else (told, subject)
            said = " or ".join(statement_wording(self._name(relation), *ends) for relation in edge.relations)
            sentences.append((said or f"{ends[0]} is connected with {ends[1]}") + self._of_edge(edge))
        sentences += [f"{subject} has {self._condition(item)}" for item in self._conditions_at(root)]
        return " and ".join(sentences) or f"{subject} is there"

    # A variable with all that is said of it --------------------------------------------------------------------------

    def _phrase(self, name: str, *, many: bool, stop: str = "", article: str = "", alone: bool = False) -> str:
        """A variable with what is said of it, but for what lies at `stop`, from where one looks; `alone` without the
        ways that lead there, which are told with both of their ends."""
        first = self._first(name)
        several = many or (first is not None and first.limit > 1)
        self._told[name] = several
        counted = self._counted(name)
        ways = [edge for edge in self.graph.edges_of(name) if edge.other(name) not in counted]
        ways = [edge for edge in ways if not (alone and edge.is_way)]
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
        tests += [self._first_groups(item) for item in self.graph.selections if self._by_group(item, name)]
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
        if not text.endswith(" of \0") or edge.other(name) in self._told or self._conditions_at(name):
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
        noun = self._noun(name)
        said = [
            clause_wording(self._name(relation), topic, forward=forward, noun=noun, many=many, topics=topics)
            for relation in edge.relations
        ] or [f"that {'are' if many else 'is'} connected with {topic}"]
        return (
            " or ".join(dict.fromkeys(said))
            + ("" if edge.directed or not edge.relations else " (either way)")
            + self._of_edge(edge)
        )

    def _of_edge(self, edge: Edge) -> str:
        conditions = self._conditions_at(edge.name) if edge.name else ()
        if_any = self._steps(edge) if edge.is_way else " (if any)" if edge.optional else ""
        return if_any + (f" ({' and '.join(self._condition(item) for item in conditions)})" if conditions else "")

    def _absences(self, name: str, edges: Sequence[Edge], many: bool) -> list[str]:
        told = []
        for edge in edges:
            other = edge.other(name)
            topics = not self.graph.variable(other).ids
            topic = self._phrase(other, many=topics) if other not in self._told else self._again(other)
            clause = self._clause(edge, name, topic, many=many, topics=topics)
            told.append(f"none {clause}" if clause.startswith(("that ", "of ")) else f"not {clause}")
        return told

    # Conditions ------------------------------------------------------------------------------------------------------

    def _early_and_late(self, name: str) -> tuple[list[Condition], list[Condition]]:
        """The conditions on a variable; late are those that compare it with one that the clauses speak of first."""
        counted = self._counted_alike(name)
        found = [item for item in self._conditions_at(name) if item not in counted.values()]
        others = [self._place(item.right.of) if isinstance(item.right, Value) else name for item in found]
        unknown = [
            other not in self._told and not self.graph.variable(other).ids and bool(self.graph.edges_of(other))
            for other in others
        ]
        pairs = list(zip(found, unknown, strict=True))
        return [item for item, after in pairs if not after], [item for item, after in pairs if after]

    def _conditions_at(self, name: str) -> tuple[Condition, ...]:
        """The conditions that are told of a variable or an edge: it has the value that they compare first."""
        return tuple(
            item
            for item in self.graph.conditions
            if not aggregates_of(item.left)
            and not aggregates_of(item.right)
            and next((value.of for side in (item.left, item.right) for value in matched_values(side)), "") == name
        )

    def _conditions(self, conditions: Sequence[Condition]) -> list[str]:
        told = []
        for item in conditions:
            if not isinstance(item.left, Value):
                told.append(f"with {self._condition(item)}")
            elif item.operator == "about" and not item.left.key:
                told.append(self._comparison(item))
            elif not item.left.key and isinstance(item.right, Value):
                other = self._compared(item.right.of)
                told.append(f"{'the same as' if item.operator == '=' else 'other than'} {other}")
            elif _is_truth(item.right) and item.operator == "=":
                words = self._words(item.left.key)
                has = words.split()[0] in ("has", "have", "is", "are")
                words = words.split(" ", 1)[-1] if has and " " in words else words
                told.append(f"that are {'' if item.right == (True,) else 'not '}{words}")
            else:
                told.append(f"with {self._condition(item)}")
        return told

    def _condition(self, item: Condition) -> str:
        """A test of a property: "runtime more than 120"."""
        if not isinstance(item.left, Value):
            return f"{self._own(item.left)} {'equal to ' * (item.operator == '=')}{self._comparison(item)}"
        named = item.left.key or self.graph.is_distance(item.left)
        key = self._key(item.left) if named else "the same node"
        if item.operator in ("present", "missing"):
            return f"{'any' if item.operator == 'present' else 'no'} {key}"
        return f"{key} {self._comparison(item)}"

    def _own(self, part: Expression | Number) -> str:
        """What is calculated of the properties of what was just told."""
        if isinstance(part, Value) and self.graph.is_distance(part):
            return "number of steps"
        if isinstance(part, Value):
            return self._key(part) if part.key else self._again(self._place(part.of))
        if isinstance(part, Arithmetic):
            words = _CALCULATIONS.get(part.operator, f"({part.operator})")
            return f"{self._own(part.left)} {words} {self._own(part.right)}"
        return self._expressed(part)

    def _comparison(self, item: Condition, at: str = "") -> str:
        timed = isinstance(item.left, Value) and _is_time(self._words(item.left.key), item.left)
        compared = (
            _OF_TIME.get(item.operator, _COMPARED.get(item.operator, "")) if timed else _COMPARED.get(item.operator, "")
        )
        own = next((value.of for value in matched_values(item.left)), "")
        if isinstance(item.right, Value) and item.right.key and item.right.of == own:
            return f"{compared}their {self._key(item.right)}"
        if isinstance(item.right, Value):
            same = isinstance(item.left, Value) and item.left.key == item.right.key
            what = "that" if same else f"the {self._words(item.right.key)}"
            return f"{compared}{what} of {self._compared(item.right.of)}"
        if isinstance(item.right, Aggregate):
            return f"{compared}the {self._measure(item.right, at)}"
        if not isinstance(item.right, tuple):
            return f"{compared}{'the ' if isinstance(item.right, Whole) else ''}{self._expressed(item.right)}"
        told = _duration if is_duration(item.left) else _literal
        values = [told(value) for value in item.right]
        if item.operator == "between":
            return f"between {values[0]} and {values[1]}"
        return compared + " or ".join(values) + (" (capitals as here)" if item.capitals else "")

    def _tests(self, name: str) -> list[Condition]:
        return [item for item in self.graph.conditions if any(per.of == name for per in _measured_for(item))]

    def _test(self, item: Condition) -> str:
        """ "with more than 100 films that they directed", "whose country has at most 3 cities"."""
        per = _measured_for(item)[0]
        begin = f"whose {self._key(per)} has" if per.key else "with"
        compared = self._comparison(item, per.of)
        left = item.left
        if (
            isinstance(left, Aggregate)
            and left.function == "count"
            and not left.value.key
            and isinstance(item.right, tuple)
        ):
            seen = self._seen(self._place(left.value.of), per.of)
            return f"{begin} {compared} {seen}{EACH_TIME * self._is_each_time(left)}"
        return f"{begin} {self._measured(left, per.of)} {compared}"

    def _measured(self, part: Expression | Number, at: str) -> str:
        """An expression over aggregates that are measured for each `at`."""
        if isinstance(part, Aggregate):
            return self._measure(part, at)
        if isinstance(part, Arithmetic):
            words = _CALCULATIONS.get(part.operator, f"({part.operator})")
            return f"{self._measured(part.left, at)} {words} {self._measured(part.right, at)}"
        return self._own(part)

    # Selections ------------------------------------------------------------------------------------------------------

    def _first(self, name: str) -> Selection | None:
        found = (item for item in self.graph.selections if item.variable == name and not self._by_group(item, name))
        return next(found, None)

    def _by_group(self, item: Selection, name: str) -> bool:
        """Whether a selection keeps groups of the nodes of a variable."""
        return item.variable == name and any(part.per and part.per.key for part in aggregates_of(item.by))

    def _first_groups(self, item: Selection) -> str:
        """ "whose country has the most cities"."""
        per = next(part.per for part in aggregates_of(item.by) if part.per)
        among = "has the" if (item.limit, item.offset) == (1, 0) else f"is among the {item.limit} with the"
        place = f"{_ordinal(item.offset + 1)} " if item.offset else ""
        return f"whose {self._key(per)} {among} {place}{self._order(item)}"

    def _counted(self, name: str) -> set[str]:
        """The neighbours of a variable that are told with what it is ordered or tested by."""
        parts: list[object] = [item.by for item in self.graph.selections if item.variable == name]
        parts += [side for item in self._tests(name) for side in (item.left, item.right)]
        answer = self.graph.answer
        measured = isinstance(answer, Aggregate) and answer.per and self._place(answer.per.of) == self.graph.root
        if name == self.graph.root:
            parts += [*(i for i in self.graph.columns if isinstance(i, Aggregate)), *([answer] if measured else [])]
        values = [part.value for side in parts for part in aggregates_of(side)]
        values += [value for item in parts if not aggregates_of(item) for value in matched_values(item)]
        places = {self._place(value.of) for value in values} - {name}
        return {
            edge.other(name)
            for edge in self.graph.edges_of(name)
            if not edge.absent
            and places & self.tree.below(edge.other(name))
            and self.tree.parents[edge.other(name)] == name
        }

    def _counted_alike(self, name: str) -> dict[str, Condition]:
        """The variables that are joined to one by an equal value alone, and counted there, each with what says so."""
        places = {self._place(part.value.of) for item in self._tests(name) for part in aggregates_of(item.left)} | {
            self._place(part.value.of) for item in self._orders(name) for part in aggregates_of(item)
        }
        return {
            item.right.of: item
            for item in self.graph.conditions
            if item.operator == "="
            and isinstance(item.left, Value)
            and isinstance(item.right, Value)
            and item.left.of == name
            and item.left.key
            and item.right.of in places
            and not self.graph.edges_of(item.right.of)
        }

    def _orders(self, name: str) -> list[Expression]:
        return [item.by for item in self.graph.selections if item.variable == name and item.by is not None]

    def _selected(self, said: str, first: Selection | None) -> str:
        if first is None:
            return said
        number = f"{first.limit} " if first.limit > 1 else ""
        if first.by is None:
            return f"any {first.limit} of {said}"
        place = f"{_ordinal(first.offset + 1)} " if first.offset else ""
        said = f"one of {said}" if self.graph.variable(first.variable).ids else said
        return f"the {number}{said} with the {place}{self._order(first)}"

    def _order(self, item: Selection) -> str:
        by = item.by
        if isinstance(by, Aggregate) and by.function == "count" and not by.value.key:
            seen = self._seen(self._place(by.value.of), item.variable)
            return f"{'most' if item.descending else 'fewest'} {seen}{EACH_TIME * self._is_each_time(by)}"
        if not isinstance(by, Value | Aggregate):
            word = "highest" if item.descending else "lowest"
            return word if by is None else f"{word} {self._measured(by, item.variable)}"
        value = by.value if isinstance(by, Aggregate) else by
        timed = _is_time(self._words(value.key), value) and not isinstance(by, Aggregate)
        extreme = ("latest", "earliest") if timed else ("highest", "lowest")
        word = extreme[not item.descending]
        if isinstance(by, Aggregate):
            return f"{word} {self._measure(by, item.variable)}"
        return f"{word} {self._key(by)}{self._whose(by, item.variable)}"

    def _measure(self, item: Aggregate, at: str) -> str:
        """What is measured for each `at`, as seen from there."""
        if self.graph.is_distance(item.value):
            return f"{_AGGREGATES.get(item.function, item.function)} number of steps"
        words = self._words(item.value.key) if item.value.key else ""
        seen = self._whose(item.value, at)
        if item.function == "count":
            return f"number of {plural(words) + seen if words else self._seen(item.value.of, at)}"
        return f"{_AGGREGATES[item.function]} {words}{seen}"

    def _whose(self, value: Value, at: str) -> str:
        """What has a value that is measured for each `at`, as seen from there; empty where that has it itself."""
        relation = "the relation to " if value.key and self._edge(value.of) else ""
        place = self._place(value.of)
        return "" if place == at else f" of {relation}{self._seen(place, at)}"

    def _seen(self, name: str, at: str) -> str:
        """What hangs below `at`, as told from there: "films that they directed"; itself where that is counted."""
        place = self._place(name)
        if place == at:
            return self._noun(at, many=True)
        told = self._phrase(place, many=True, stop=at)
        alike = self._counted_alike(at).get(place)
        if alike is None or not isinstance(alike.left, Value) or not isinstance(alike.right, Value):
            return told
        own, other = self._key(alike.left), self._key(alike.right)
        return f"{told} with the same {own}" if own == other else f"{told} whose {other} is that {own}"

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


def _is_truth(right: object) -> bool:
    """Whether what is compared with is true or false, and not 1 or 0."""
    return isinstance(right, tuple) and len(right) == 1 and isinstance(right[0], bool)


def _measured_for(item: Condition) -> list[Value]:
    """What the aggregates of a condition are measured for."""
    return [part.per for side in (item.left, item.right) for part in aggregates_of(side) if part.per]


def _begins_with_vowel(text: str) -> bool:
    """Whether a text begins with a sound that takes "an"."""
    start = text[:3].lower()
    return start[:1] in tuple("aeiou") and not start.startswith(("uni", "use", "usa", "eu", "one"))


def _is_time(words: str, value: Value) -> bool:
    """Whether a value is a time: by its form, or by a unit of time in its name."""
    of_time = UNITS & {"year", "date", "day", "month", "time"}
    if value.form == "seconds":
        return False
    return value.form in ("year", "date", "day first", "month first") or bool(of_time & set(words.split()))


def _year_of(value: Value) -> str:
    """What stands before a date of which the year is meant."""
    return "year of " if value.form == "year" else ""


def _duration(seconds: Scalar) -> str:
    """ "2 hours", "95 minutes": in the largest unit that it is a whole number of."""
    whole = isinstance(seconds, int | float) and seconds
    size, unit = next((pair for pair in _LENGTHS if whole and not whole % pair[0]), (1, "second"))
    number = _literal(seconds / size if isinstance(seconds, int | float) else seconds)
    return f"{number} {unit}{'' if number == '1' else 's'}"


def _literal(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)


def _ordinal(number: int) -> str:
    """ "2nd", "3rd", "11th"."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
