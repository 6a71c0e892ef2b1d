"""Cypher read back as a query graph: what is read, what is refused, and that both find the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from kgneo.errors import DataError
from kgneo.graph import Graph
from kgneo.graph.cypher import literal
from kgneo.query.check import check
from kgneo.query.from_cypher import from_cypher
from kgneo.query.graph import (
    Aggregate,
    Arithmetic,
    Condition,
    Edge,
    Operator,
    QueryGraph,
    Scalar,
    Selection,
    Value,
    Variable,
)
from kgneo.query.quoting import plain
from kgneo.query.tree import tree_of
from kgneo.query.wording import wording
from tests.query_graphs import (
    CATALOGUE,
    COUNT,
    DATE,
    DAY,
    FILM,
    KNOWS,
    LIST,
    MADE,
    NUMERAL,
    PERSON,
    SIZE,
    TRUE,
    Interpreter,
    World,
    worlds,
)
from tests.query_graphs import plain as comparable
from tests.test_query_compile_properties import same, written

Draw = Callable[[st.SearchStrategy[Any]], Any]

# Random query graphs that a plain query can say ----------------------------------------------------------------------

CONDITIONS = [
    (COUNT, "", ("=", "<>", "<", "<=", ">", ">="), (1, 2, -3)),
    (SIZE, "", ("<", ">="), (1.0, 2.5, -0.5)),
    (TRUE, "", ("=", "<>"), (True, False)),
    (DAY, "", ("=", "<>"), ("9/08/2017", "10/8/2017", 'it\'s "a" \\ \n day')),
    (NUMERAL, "", ("contains",), ("1,2", "NO", "'")),
    (DATE, "date", ("=", "<", ">="), ("2017-08-09", "2018-01-01")),
    (DATE, "year", ("=", "<>", ">"), (2017, 2018)),
    (LIST, "list", ("=", "<>"), ("a", "b")),
]
"""Keys, the form in which they are compared, operators and literals."""


@st.composite
def graphs(draw: Draw) -> QueryGraph:
    """A tree of variables with conditions, some of it absent, and an answer, an order or a test of an aggregate."""
    names = [f"n{number}" for number in range(draw(st.integers(1, 4)))]
    labels = st.sampled_from([(), (FILM,), (PERSON,), (FILM, PERSON)])
    edges: list[Edge] = []
    hidden: set[str] = set()
    for number, name in enumerate(names[1:], start=1):
        start = names[draw(st.integers(0, number - 1))]
        ends = draw(st.permutations([start, name]))
        relations = draw(st.sampled_from([(MADE,), (KNOWS,), (MADE, KNOWS)]))
        absent = start not in hidden and draw(st.integers(0, 3)) == 0
        hidden |= {name} if absent or start in hidden else set()
        edges.append(Edge(ends[0], relations, ends[1], f"e{number}", draw(st.integers(0, 3)) > 0, absent))
    graph = QueryGraph(tuple(Variable(name, draw(labels)) for name in names), Value("n0"), tuple(edges))
    shown = [name for name in names if name not in hidden]
    conditions = tuple(
        _condition(draw, [*names, *(edge.name for edge in edges)]) for _ in range(draw(st.integers(0, 3)))
    )
    part = draw(st.sampled_from([_answered, _answered, _selected, _tested]))
    changed = part(draw, replace(graph, conditions=tuple(dict.fromkeys(conditions))), shown)
    return graph if check(changed, CATALOGUE) else changed


def _condition(draw: Draw, names: Sequence[str]) -> Condition:
    of, other = draw(st.sampled_from(names)), draw(st.sampled_from(names))
    kind = draw(st.integers(0, 6))
    if kind == 0:
        return Condition(Value(of, COUNT), draw(st.sampled_from(["=", "<>", "<"])), Value(other, COUNT))
    if kind == 1:
        return Condition(Value(of, SIZE), draw(st.sampled_from(["present", "missing"])))
    if kind == 2:
        return Condition(Value(of, COUNT), draw(st.sampled_from(["=", "<>"])), (1, 3))
    key, form, operators, literals = draw(st.sampled_from(CONDITIONS))
    return Condition(Value(of, key, form), draw(st.sampled_from(operators)), (draw(st.sampled_from(literals)),))


def _answered(draw: Draw, graph: QueryGraph, _: Sequence[str]) -> QueryGraph:
    root, number = Value("n0"), Value("n0", draw(st.sampled_from([COUNT, SIZE])))
    answers = [
        root,
        replace(number, key=DAY),
        Aggregate("count", root),
        Aggregate("count", number),
        Aggregate(draw(st.sampled_from(["minimum", "maximum"])), number),
        Aggregate("exists", root),
        Aggregate("count", root, draw(st.sampled_from([Value("n0", DAY), Value(graph.variables[-1].name)]))),
        Arithmetic(draw(st.sampled_from(["+", "-", "*", "per cent"])), number, Value("n0", SIZE)),
    ]
    return replace(graph, answer=draw(st.sampled_from(answers)))


def _selected(draw: Draw, graph: QueryGraph, shown: Sequence[str]) -> QueryGraph:
    by: Any = Value("n0", COUNT)
    if len(shown) > 1 and draw(st.booleans()):
        by = Aggregate("count", Value(shown[-1]))
    selection = Selection("n0", by, draw(st.booleans()), draw(st.integers(1, 2)), draw(st.sampled_from([0, 0, 1])))
    return replace(graph, selections=(selection,), answer=draw(st.sampled_from([Value("n0"), Value("n0", DAY)])))


def _tested(draw: Draw, graph: QueryGraph, shown: Sequence[str]) -> QueryGraph:
    measured = Aggregate("count", Value(shown[-1]), Value("n0"))
    test = Condition(measured, draw(st.sampled_from(["=", ">", "<="])), (draw(st.integers(1, 2)),))
    return replace(graph, conditions=(*graph.conditions, test))


# One way to write them down ------------------------------------------------------------------------------------------


class Writer:
    """Writes a query graph as a person might. `exact`: so that rows are what the query graph finds, but for ties."""

    def __init__(self, draw: Draw, graph: QueryGraph, *, exact: bool) -> None:
        self.draw, self.graph, self.exact = draw, graph, exact
        self.tree = tree_of(graph)
        self.inline: set[Condition] = set()
        self.seen: set[str] = set()

    def text(self) -> str:
        present = [edge for edge in self.graph.edges if not edge.absent and edge.subject not in self.tree.hidden]
        outer = [item for item in self.graph.conditions if isinstance(item.left, Value) and not self._hidden(item)]
        clauses = [self.patterns(["n0"], present)]
        if len(present) > 1 and not self.exact and self.draw(st.booleans()):
            self.seen.clear()
            cut = self.draw(st.integers(1, len(present) - 1))
            clauses = [self.patterns(["n0"], present[:cut]), self.patterns([], present[cut:])]
        loose = [name for name in self.tree.parents if name not in self.tree.hidden and name not in self.seen]
        clauses += [self.node(name) for name in loose]  # that a comparison alone joins
        tests = [self.test(item) for item in outer if item not in self.inline]
        tests += [self.absence(edge) for edge in self.graph.edges if edge.absent]
        if self.exact:
            tests += [
                f"{self.value(item.by)} IS NOT NULL" for item in self.graph.selections if isinstance(item.by, Value)
            ]
        joined = f" {self.word('AND')} ".join(tests)
        where = f" {self.word('WHERE')} {joined}" if tests else ""
        matches = " ".join(f"{self.word('MATCH')} {clause}" for clause in clauses)
        end = self.draw(st.sampled_from(["", ";"]))
        return f"{matches}{where} {self.stage()}{self.word('RETURN')} {self.returned()}{end}"

    def word(self, keyword: str) -> str:
        return str(self.draw(st.sampled_from([keyword, keyword.lower(), keyword.capitalize()])))

    def name(self, text: str) -> str:
        quoted = "`" + text.replace("`", "``") + "`"
        return quoted if not re.fullmatch(r"[A-Za-z]\w*", text) or self.draw(st.booleans()) else plain(text)

    def value(self, value: Value | Any) -> str:
        return f"{value.of}.{self.name(value.key)}" if value.key else str(value.of)

    def patterns(self, alone: Sequence[str], edges: Sequence[Edge]) -> str:
        found = [self.node(name) for name in alone if not any(name in (e.subject, e.object) for e in edges)]
        return ", ".join([*found, *(self.edge(edge) for edge in edges)])

    def node(self, name: str) -> str:
        labels, inner = "", ""
        if name not in self.seen:
            labels = "".join(f":{self.name(label)}" for label in self.graph.variable(name).labels)
            inner = self.braces(name)
        self.seen.add(name)
        return f"({name}{labels}{inner})"

    def edge(self, edge: Edge) -> str:
        inner = f"[{edge.name}:{'|'.join(map(self.name, edge.relations))}{self.braces(edge.name)}]"
        if not edge.directed:
            return f"{self.node(edge.subject)}-{inner}-{self.node(edge.object)}"
        if self.draw(st.booleans()):
            return f"{self.node(edge.subject)}-{inner}->{self.node(edge.object)}"
        return f"{self.node(edge.object)}<-{inner}-{self.node(edge.subject)}"

    def braces(self, name: str) -> str:
        """Some of the conditions as inline properties."""
        for item in self.graph.conditions:
            plain_equal = isinstance(item.left, Value) and item.operator == "=" and not item.left.form
            single = isinstance(item.right, tuple) and len(item.right) == 1
            if plain_equal and single and item.left.of == name and self.draw(st.booleans()):  # type: ignore[union-attr]
                self.inline.add(item)
                return f" {{{self.name(item.left.key)}: {self.literal(item.right[0])}}}"  # type: ignore[union-attr,index]
        return ""

    def literal(self, value: Scalar) -> str:
        if isinstance(value, str):
            return literal(value).replace("\\u000A", "\\n")
        return literal(value)

    def _hidden(self, item: Condition) -> bool:
        return bool(self.hidden_names() & {side.of for side in (item.left, item.right) if isinstance(side, Value)})

    def hidden_names(self) -> set[str]:
        edges = {e.name for e in self.graph.edges if e.absent or {e.subject, e.object} & self.tree.hidden}
        return {*self.tree.hidden, *edges}

    def absence(self, edge: Edge) -> str:
        inside = self.tree.below(self.tree.lower(edge))
        edges = [edge, *(e for e in self.graph.edges if not e.absent and {e.subject, e.object} <= inside)]
        own = {*inside, *(e.name for e in edges)}
        self.seen |= {*self.tree.parents} - self.tree.hidden
        pattern = self.patterns([], edges)
        tests = [
            self.test(item)
            for item in self.graph.conditions
            if item not in self.inline and own & {s.of for s in (item.left, item.right) if isinstance(s, Value)}
        ]
        where = f" WHERE {' AND '.join(tests)}" if tests else ""
        return f"NOT EXISTS {{ {self.draw(st.sampled_from(['', 'MATCH ']))}{pattern}{where} }}"

    def test(self, item: Condition) -> str:
        assert isinstance(item.left, Value)
        left = self.value(item.left)
        if item.operator in ("present", "missing"):
            return f"{left} IS {'NOT ' if item.operator == 'present' else ''}NULL"
        if isinstance(item.right, Value):
            return f"{left} {item.operator} {self.value(item.right)}"
        assert isinstance(item.right, tuple)
        first = self.literal(item.right[0])
        negated = "NOT " if item.operator == "<>" else ""
        if item.left.form == "list":
            return f"{negated}{first} IN {left}"
        if item.operator == "contains":
            return f"toLower({left}) CONTAINS {self.literal(str(item.right[0]).lower()) if self.exact else first}"
        if len(item.right) > 1:
            return f"{negated}{left} IN [{', '.join(map(self.literal, item.right))}]"
        if item.left.form == "date":
            first = f"date({first})"
        left += ".year" if item.left.form == "year" else ""
        if negated and self.draw(st.booleans()):
            return f"NOT {left} = {first}"
        if self.draw(st.booleans()):
            return f"{first} {_turned(item.operator)} {left}"
        return f"{left} {item.operator} {first}"

    def stage(self) -> str:
        """WITH, for a selection or a test of an aggregate."""
        for item in self.graph.conditions:
            if isinstance(item.left, Aggregate) and isinstance(item.right, tuple):
                counted = f"n0, count(DISTINCT {item.left.value.of}) AS number"
                return f"WITH {counted} WHERE number {item.operator} {self.literal(item.right[0])} "
        for selection in self.graph.selections:
            order = f"{' DESC' if selection.descending else ''}"
            order += f" SKIP {selection.offset}" if selection.offset else ""
            order += f" LIMIT {selection.limit} "
            if isinstance(selection.by, Aggregate):
                return f"WITH n0, count(DISTINCT {selection.by.value.of}) AS number ORDER BY number{order}"
            return f"WITH DISTINCT n0 ORDER BY {self.value(selection.by)}{order}"
        return ""

    def returned(self) -> str:
        answer = self.graph.answer
        if isinstance(answer, Arithmetic):
            assert isinstance(answer.left, Value)
            assert isinstance(answer.right, Value)
            left, right = self.value(answer.left), self.value(answer.right)
            return (
                f"100.0 * {left} / {right} AS share"
                if answer.operator == "per cent"
                else f"{left} {answer.operator} {right}"
            )
        if isinstance(answer, Value):
            return f"{self.draw(st.sampled_from(['', 'DISTINCT ']))}{self.value(answer)} AS one"
        assert isinstance(answer, Aggregate)
        if answer.function == "exists":
            return "count(n0) > 0 AS one"
        function = {"count": "count", "minimum": "min", "maximum": "max"}[answer.function]
        measured = f"{function}(DISTINCT {self.value(answer.value)})"
        return f"{self.value(answer.per)} AS one, {measured} AS number" if answer.per else measured


def _turned(operator: Operator) -> str:
    return {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(operator, operator)


def canonical(graph: QueryGraph) -> tuple[object, ...]:
    """What does not depend on the order in which a query says things."""
    variables = sorted((item.name, tuple(sorted(item.labels))) for item in graph.variables)
    edges = sorted(
        (
            *((e.subject, e.object) if e.directed else sorted((e.subject, e.object))),
            e.relations,
            e.name,
            e.directed,
            e.absent,
        )
        for e in graph.edges
    )
    return variables, edges, frozenset(graph.conditions), graph.selections, graph.answer


@given(graph=graphs(), data=st.data())
@settings(max_examples=200, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_a_query_graph_says_in_plain_cypher_is_read_back(graph: QueryGraph, data: st.DataObject) -> None:
    text = Writer(data.draw, graph, exact=False).text()
    assert canonical(from_cypher(text)) == canonical(graph), text


def rows_of(graph: Graph, text: str, ids: dict[str, str]) -> Any:
    """What Neo4j finds for a text, in the interpreter's terms; a single row of a single column stands for itself."""
    names = {found: id_ for id_, found in ids.items()}

    def told(value: Any) -> Any:
        return names[value.element_id] if hasattr(value, "element_id") else comparable(value)

    columns, rows = graph.read_once(text, rows=1000, timeout=10.0)
    found = [tuple(told(row[column]) for column in columns) for row in rows]
    return {row[0] if len(row) == 1 else row for row in found if row[0] is not None}


@given(world=worlds(), queries=st.lists(graphs(), min_size=6, max_size=10), data=st.data())
@settings(
    max_examples=6,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_the_query_graph_of_a_query_finds_what_the_query_finds(
    graph: Graph, world: World, queries: list[QueryGraph], data: st.DataObject
) -> None:
    ids = written(graph, world)
    for query in queries:
        text = Writer(data.draw, query, exact=True).text()
        read = from_cypher(text)
        found, expected = rows_of(graph, text, ids), Interpreter(world, read).answer()
        if read.selections:
            assert found <= expected, text  # the query cuts off places that are shared
        elif isinstance(expected, set):
            assert found == expected, text
        elif expected is None:
            assert found == set(), text
        else:
            assert len(found) == 1, text
            assert same(found.pop(), comparable(expected)), text


# What people and models write ----------------------------------------------------------------------------------------

PAINTER, GUILD = Variable("p", ("Painter",)), Variable("g", ("Guild",))
BELONGS = Edge("p", ("REL_A",), "g", "r0")
BOTH = QueryGraph((PAINTER, GUILD), Value("g"), (BELONGS,))


@pytest.mark.parametrize(
    ("text", "graph"),
    [
        (
            'MATCH (p:Painter WHERE p.age = 30)-[:REL_A]->(g:Guild {name: "The \\"Heron\\""}) RETURN DISTINCT p.name',
            QueryGraph(
                (PAINTER, GUILD),
                Value("p", "name"),
                (Edge("p", ("REL_A",), "g", "r0"),),
                (Condition(Value("p", "age"), "=", (30,)), Condition(Value("g", "name"), "=", ('The "Heron"',))),
            ),
        ),
        (
            "MATCH (g:Guild)<-[r:REL_A|REL_B]-(p:Painter) WHERE p.age >= 40 AND r.since < 1.5 RETURN count(DISTINCT p)",
            QueryGraph(
                (GUILD, PAINTER),
                Aggregate("count", Value("p")),
                (Edge("p", ("REL_A", "REL_B"), "g", "r"),),
                (Condition(Value("p", "age"), ">=", (40,)), Condition(Value("r", "since"), "<", (1.5,))),
            ),
        ),
        (
            "MATCH (p:Painter) MATCH (p)-[:REL_A]-(g:Guild) RETURN p ORDER BY p.age DESC LIMIT 3;",
            QueryGraph(
                (PAINTER, GUILD),
                Value("p"),
                (Edge("p", ("REL_A",), "g", "r0", directed=False),),
                selections=(Selection("p", Value("p", "age"), True, 3),),
            ),
        ),
        ("MATCH (p:Painter)-[:REL_A]->(g:Guild) RETURN g ORDER BY g.name", BOTH),
        (
            "MATCH (p:Painter)-[:REL_A]->(g:Guild) RETURN g ORDER BY count(p) DESC LIMIT 1",
            replace(BOTH, selections=(Selection("g", Aggregate("count", Value("p")), True),)),
        ),
        (
            "MATCH (p:Painter)-[:REL_A]->(g:Guild) WITH g, count(*) AS n ORDER BY n DESC LIMIT 2 RETURN g",
            replace(BOTH, selections=(Selection("g", Aggregate("count", Value("p")), True, 2),)),
        ),
        (
            "MATCH (p:Painter)-[:REL_A]->(g:Guild) WITH g.town AS t, count(p) AS n RETURN t ORDER BY n LIMIT 1",
            replace(
                BOTH,
                answer=Value("g", "town"),
                selections=(Selection("g", Aggregate("count", Value("p"), Value("g", "town"))),),
            ),
        ),
        (
            "MATCH (p:Painter)-[:REL_A]->(g:Guild) RETURN g.name, count(*)",
            replace(BOTH, answer=Aggregate("count", Value("p"), Value("g", "name"))),
        ),
        (
            "MATCH (g:Guild) WHERE EXISTS((:Painter)-[:REL_A]->(g)) RETURN g",
            QueryGraph((GUILD, replace(PAINTER, name="unnamed1")), Value("g"), (replace(BELONGS, subject="unnamed1"),)),
        ),
        (
            "RETURN EXISTS { MATCH (p:Painter)-[:REL_A]->(g:Guild) } AS found",
            replace(BOTH, answer=Aggregate("exists", Value("p"))),
        ),
        (
            "MATCH (r0:Painter) WHERE NOT (r0)-[:REL_A]->(:Guild) AND r0:Old RETURN r0",
            QueryGraph(
                (Variable("r0", ("Painter", "Old")), replace(GUILD, name="unnamed1")),
                Value("r0"),
                (Edge("r0", ("REL_A",), "unnamed1", "r1", absent=True),),
            ),
        ),
    ],
)
def test_a_simple_query_is_read_as_a_query_graph(text: str, graph: QueryGraph) -> None:
    assert from_cypher(text) == graph


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (p) WHERE p.a = 1 OR EXISTS { (p)-[:REL_A]->(g) } RETURN p",
        "MATCH (p) WHERE NOT EXISTS { (p)-[:REL_A]->(g) WHERE g.a = 1 OR g.b = 2 } RETURN p",
        "MATCH (p)--(q) RETURN p",
        "MATCH (p:A|B) RETURN p",
        "MATCH (p), (g) OPTIONAL MATCH (p)-[:REL_A]->(g) RETURN p",
        "MATCH (p) RETURN p UNION MATCH (q) RETURN q AS p",
        "MATCH (p) RETURN count(p), p.age",
        "MATCH (p) RETURN p.name LIMIT 3",
        "MATCH (p) RETURN p ORDER BY p.age, p.name LIMIT 3",
        "MATCH (p) RETURN max(p.age) ORDER BY max(p.age) LIMIT 1",
        "MATCH (p) RETURN sum(DISTINCT p.age)",
        "MATCH (p) RETURN collect(p.name)",
        "MATCH (p) RETURN p.born.year",
        "MATCH (p) RETURN toLower(p.name)",
        "MATCH (p) WHERE toLower(p.name) = 'ada' RETURN p",
        "MATCH (p) WHERE NOT p.name CONTAINS 'ada' RETURN p",
        "MATCH (p) WHERE p.age = $age RETURN p",
        "MATCH (p) WHERE p.born > date('1990') RETURN p",
        "MATCH (p) WHERE q.age = 3 RETURN p",
        "MATCH (p) WITH p MATCH (p)-[:REL_A]->(g) RETURN g",
        "MATCH (p)-[:REL_A]->(g) WITH p RETURN g",
        "MATCH (p) WHERE NOT EXISTS { (p)-[:REL_A]->(g) WHERE p.age = 3 } RETURN p",
        "MATCH (p) WHERE NOT EXISTS { (p:Painter)-[:REL_A]->(g) } RETURN p",
        "MATCH (p)-[:REL_A]->(g) WHERE NOT EXISTS { (p)-[:REL_B]->(x)-[:REL_B]->(g) } RETURN p",
        "MATCH (p) WHERE NOT EXISTS { (p)-[:REL_A]->(g) WHERE NOT (g)-[:REL_B]->() } RETURN p",
        "MATCH (p) WHERE EXISTS { (p)-[:REL_A]->(g) } AND EXISTS { (p)-[:REL_B]->(g) } RETURN p",
        "MATCH (p) WHERE p.name = '\\u0041' RETURN p",
        "CREATE (p)",
        "",
        "MATCH (p RETURN p",
        f"MATCH (p) WHERE {'(' * 4000}p.age = 1{')' * 4000} RETURN p",
    ],
)
def test_a_query_that_is_not_simple_says_so(text: str) -> None:
    with pytest.raises(DataError, match="simple query"):
        from_cypher(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("MATCH (p:Tool) RETURN p.name, p.price", "name of tools, with their price"),
        ("MATCH (p:Tool) RETURN p LIMIT 3", "any 3 of tools"),
        ("MATCH (p:Tool) WHERE p.size = 1 OR p.price > 5 AND p.stock % 5 = 0 RETURN p",
         "tools, where size 1 or price more than 5 and stock modulo 5 equal to 0"),
        ("MATCH (c:City) WITH c.country AS country, count(c) AS n WHERE n <= 3 RETURN country",
         "country of cities whose country has at most 3 cities"),
        ("MATCH (y:Tool) WITH avg(y.price) AS a MATCH (x:Tool) WHERE x.price > a RETURN x",
         "tools with price more than the average price of tools"),
        ("MATCH (p:Person) OPTIONAL MATCH (p)-[:DIRECTED]->(f:Film) RETURN p.name, count(f) AS n, max(f.year)",
         "name of people, with number of films that they directed (if any) and highest year of films that they "
         "directed (if any)"),
        ("MATCH (p:Tool) WHERE size(p.name) > 5 RETURN p.name ORDER BY p.width * p.height DESC LIMIT 3",
         "name of the 3 tools with length of name more than 5 with the highest width times height"),
        ("MATCH (p:Tool) WHERE toLower(p.name) ENDS WITH 'x' AND p.make STARTS WITH 'A' RETURN p",
         "tools with name ending with x and with make starting with A (capitals as here)"),
    ],
)  # fmt: skip
def test_columns_groups_alternatives_and_numbers_over_all_are_read(text: str, words: str) -> None:
    assert wording(from_cypher(text)) == words


PIECES = [
    *("MATCH", "WHERE", "RETURN", "WITH", "ORDER BY", "LIMIT", "NOT", "EXISTS", "AND", "AS", "IN", "IS", "NULL"),
    *("CONTAINS", "DISTINCT", "count", "date", "toLower", "p", "g", "name", "(", ")", "[", "]", "{", "}", ":", ","),
    *(".", "-", "->", "<-", "=", "<", ">", "*", "/", "+", "1", "2.5", "'a'", "'2017-01-01'", "(p:Painter)", "(g)"),
    *("-[:REL_A]->", "p.age", "count(*)"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=12), st.booleans())
@settings(max_examples=400, derandomize=True, deadline=None)
def test_any_words_are_read_or_refused(words: list[str], begun: bool) -> None:
    text = " ".join(["MATCH (p)-[:REL_A]->(g)", *words, "RETURN p"] if begun else words)
    try:
        graph = from_cypher(text)
    except DataError:
        return
    assert graph.root in {item.name for item in graph.variables}
    assert graph.renamed()
