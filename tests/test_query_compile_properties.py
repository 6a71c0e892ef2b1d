"""Any query graph over any small graph: what the compiled query gives is what trying everything gives."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import neo4j.time
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from kgneo.graph import Graph
from kgneo.query.check import check_structure
from kgneo.query.compile import compile_query
from kgneo.query.graph import SPANS, Aggregate, Arithmetic, Condition, Edge, QueryGraph, Selection, Value, Variable
from tests.query_graphs import (
    COUNT,
    FILM,
    KNOWS,
    MADE,
    PERSON,
    Interpreter,
    Node,
    Relationship,
    World,
    plain,
    query_graphs,
    way_graphs,
    worlds,
)

CREATE_NODES = (
    "UNWIND $nodes AS one CREATE (n:$(one.labels)) SET n = one.properties RETURN one.id AS id, elementId(n) AS found"
)
CREATE_RELATIONSHIPS = (
    "UNWIND $relationships AS one MATCH (a) WHERE elementId(a) = one.subject MATCH (b) WHERE elementId(b) = one.object "
    "CREATE (a)-[r:$(one.type)]->(b) SET r = one.properties"
)


def written(graph: Graph, world: World) -> dict[str, str]:
    """Put a world in place of what is in the database; the element ids of its nodes."""
    graph.write("MATCH (n) DETACH DELETE n")
    nodes = [{"id": node.id, "labels": list(node.labels), "properties": dict(node.properties)} for node in world.nodes]
    ids = {row["id"]: row["found"] for row in graph.write(CREATE_NODES, nodes=nodes)}
    relationships = [
        {
            "type": item.type,
            "subject": ids[item.subject.id],
            "object": ids[item.object.id],
            "properties": dict(item.properties),
        }
        for item in world.relationships
    ]
    graph.write(CREATE_RELATIONSHIPS, relationships=relationships)
    return ids


def asked(graph: Graph, query: QueryGraph, ids: dict[str, str]) -> Any:
    """What the compiled query gives, in the interpreter's terms."""
    compiled = compile_query(grounded(query, ids))
    rows = graph.read(compiled.text, **compiled.parameters, limit=1000)
    names = {found: id_ for id_, found in ids.items()}
    answer = query.answer
    if isinstance(answer, Value) and query.way is not None:
        return {way_of(row, names) for row in rows}
    if query.columns:
        return {tuple(cell(value, names) for value in cells(row, query)) for row in rows}
    if isinstance(answer, Value) and not answer.key and not answer.form:
        assert len({row["id"] for row in rows}) == len(rows)
        return {names[row["id"]] for row in rows}
    if isinstance(answer, Aggregate) and answer.per is None:
        assert len(rows) == 1
        return plain(rows[0]["value"]) if answer.function != "exists" else rows[0]["value"]
    if isinstance(answer, Aggregate) and answer.per is not None and not answer.top:
        keyed = bool(answer.per.key)
        return {(plain(row["per"]) if keyed else names[row["id"]], plain(row["value"])) for row in rows}
    return {plain(row["value"]) for row in rows}


def way_of(row: Any, names: dict[str, str]) -> tuple[str, ...]:
    """A way as the interpreter tells it; which of several relationships of a type between two nodes, is not told."""
    return tuple(names[node["id"]] for node in row["nodes"])


def cells(row: Any, query: QueryGraph) -> list[Any]:
    """A row of several columns."""
    first = [row[name] for name in ("per", "id") if name in row]
    return [*first, *([row["value"]] if "value" in row else []), *(row[f"c{n}"] for n in range(len(query.columns)))]


def cell(value: Any, names: dict[str, str]) -> Any:
    value = value["id"] if isinstance(value, dict) else value
    found = names.get(value, value) if isinstance(value, str) else plain(value)
    return round(found, 9) if isinstance(found, float) else found


def grounded(query: QueryGraph, ids: dict[str, str]) -> QueryGraph:
    """With element ids in place of the interpreter's."""
    variables = tuple(replace(item, ids=tuple(ids.get(id_, id_) for id_ in item.ids)) for item in query.variables)
    return replace(query, variables=variables)


def supported(graph: Graph, query: QueryGraph, ids: dict[str, str]) -> None:
    """Whether the evidence is of answers, and of nothing else."""
    query = replace(query, answer=Value(query.root), columns=())
    if check_structure(query):  # a test of all together, which only a yes or no has
        return
    compiled = compile_query(grounded(query, ids))
    rows = graph.read(
        compiled.evidence, **compiled.parameters, answers={"ids": list(ids.values())}, walks=3, limit=1000
    )
    names = {found: id_ for id_, found in ids.items()}
    assert {names[row["answer"]] for row in rows} <= asked(graph, query, ids)
    if not any(edge.is_way for edge in query.edges):
        assert all(len(walk[0]) == len(compiled.edges) for row in rows for walk in row["walks"])
    assert all(len(walk[1]) == len(compiled.nodes) for row in rows for walk in row["walks"])


def same(found: Any, expected: Any) -> bool:
    if isinstance(expected, set) and any(isinstance(item, tuple) for item in expected):
        expected = {tuple(round(i, 9) if isinstance(i, float) else i for i in item) for item in expected}
    if isinstance(found, float) and isinstance(expected, float | int):
        return math.isclose(found, expected)
    return bool(found == expected)


@given(world=worlds(), queries=st.lists(query_graphs(), min_size=8, max_size=12))
@settings(
    max_examples=10,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],  # shrinking against a database takes minutes
    suppress_health_check=list(HealthCheck),
)
def test_a_compiled_query_gives_what_trying_everything_gives(
    graph: Graph, world: World, queries: list[QueryGraph]
) -> None:
    ids = written(graph, world)
    supported(graph, queries[0], ids)
    for query in queries:
        expected = Interpreter(world, query, ids).answer()
        found = asked(graph, query, ids)
        assert same(found, expected), compile_query(query).text


@given(world=worlds(), queries=st.lists(way_graphs(), min_size=10, max_size=14))
@settings(
    max_examples=8,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_ways_are_those_that_trying_everything_finds(graph: Graph, world: World, queries: list[QueryGraph]) -> None:
    ids = written(graph, world)
    for query in queries:
        expected = Interpreter(world, query, ids).answer()
        if isinstance(query.answer, Value) and query.way is not None:  # by their nodes
            expected = {tuple(part.rpartition(">")[2] for part in way) for way in expected}
        elif isinstance(query.answer, Value) and not query.answer.key:
            supported(graph, query, ids)
        found = asked(graph, query, ids)
        assert same(found, expected), (query, found, expected, compile_query(grounded(query, ids)).text)


ONE, TWO, SAME = (Node(str(number), (FILM,), {COUNT: count}) for number, count in enumerate((3, 2, 3)))
PEOPLE = tuple(Node(f"p{number}", (PERSON,), {COUNT: 3 - number}) for number in range(2))
WORLD = World(
    (ONE, TWO, SAME, *PEOPLE),
    tuple(
        Relationship(f"r{number}", MADE, PEOPLE[person], film, {})
        for number, (person, film) in enumerate([(0, ONE), (0, TWO), (1, TWO), (1, SAME)])
    ),
)
FILMS = QueryGraph((Variable("f", (FILM,)),), Value("f"))
MAKERS = QueryGraph(
    (Variable("p", (PERSON,)), Variable("f", (FILM,))), Value("p"), (Edge("p", (MADE,), "f", name="e"),)
)


def first(variable: str, **more: Any) -> Selection:
    return Selection(variable, Value(variable, COUNT), descending=True, **more)


EXACT = {
    "the first place is shared": (replace(FILMS, selections=(first("f"),)), {"0", "2"}),
    "the second place is shared with the first": (replace(FILMS, selections=(first("f", offset=1),)), {"0", "2"}),
    "there is no fourth place": (replace(FILMS, selections=(first("f", offset=3),)), set()),
    "a comparison leads out of a selection": (
        replace(
            MAKERS,
            selections=(first("f"),),
            conditions=(Condition(Value("p", COUNT), "<", Value("f", COUNT)),),
        ),
        {"p1"},
    ),
    "an absence leads out of a selection": (
        replace(MAKERS, edges=(*MAKERS.edges, Edge("f", (KNOWS,), "p", "a", absent=True)), selections=(first("f"),)),
        {"p0", "p1"},
    ),
    "most": (
        replace(FILMS, variables=MAKERS.variables, edges=MAKERS.edges,
                selections=(Selection("f", Aggregate("count", Value("p")), descending=True),)),
        {"1"},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("query", "expected"), EXACT.values(), ids=list(EXACT))
def test_a_selection_keeps_what_it_says(graph: Graph, query: QueryGraph, expected: set[str]) -> None:
    assert Interpreter(WORLD, query).answer() == expected
    assert asked(graph, query, written(graph, WORLD)) == expected


def test_a_property_of_the_relationships_of_what_is_selected_can_be_asked_for(graph: Graph) -> None:
    made = tuple(replace(item, properties={COUNT: number}) for number, item in enumerate(WORLD.relationships))
    ids = written(graph, World(WORLD.nodes, made))
    values = replace(MAKERS, answer=Value("e", COUNT), selections=(first("f"),))
    assert asked(graph, values, ids) == {0, 3}  # of the films that share the first place
    assert asked(graph, replace(values, answer=Aggregate("maximum", Value("e", COUNT))), ids) == 3


def test_of_relationships_those_with_the_highest_value_can_be_kept(graph: Graph) -> None:
    made = tuple(replace(item, properties={COUNT: number // 2}) for number, item in enumerate(WORLD.relationships))
    world = World(WORLD.nodes, made)
    ids = written(graph, world)
    for highest in (True, False):
        query = replace(MAKERS, answer=Value("p"), selections=(Selection("e", Value("e", COUNT), highest),))
        assert asked(graph, query, ids) == Interpreter(world, query).answer()


def test_a_difference_with_what_hangs_below_a_selected_thing_is_found(graph: Graph) -> None:
    people = replace(MAKERS, answer=Arithmetic("-", Value("p", COUNT), Value("f", COUNT)), selections=(first("p"),))
    apart = replace(people, variables=(*FILMS.variables, Variable("g", (FILM,))), edges=(),
                    answer=Arithmetic("-", Value("f", COUNT), Value("g", COUNT)), selections=(first("f"),))  # fmt: skip
    for query, expected in ((people, {0, 1}), (apart, {0, 1})):
        assert Interpreter(WORLD, query).answer() == expected
        assert asked(graph, query, written(graph, WORLD)) == expected


def test_hours_between_two_times_are_counted_with_their_parts(graph: Graph) -> None:
    times = ("2024-03-01T10:00:00Z", "2024-03-02T12:30:00+01:00")
    begun, done = (neo4j.time.DateTime.from_iso_format(text) for text in times)
    ids = written(graph, World((Node("0", (FILM,), {"begun": begun, "done": done}),), ()))
    spans = {unit: Arithmetic(unit, Value("f", "done"), Value("f", "begun")) for unit in SPANS}
    found = {unit: asked(graph, replace(FILMS, answer=span), ids) for unit, span in spans.items()}
    assert found == {"hours": {25.5}, "days": {1}, "months": {0}, "years": {0}}


WRITES = re.compile(r"\b(CREATE|MERGE|SET|DELETE|REMOVE|FOREACH|DROP|LOAD|CALL(?! \(\)))\b", re.IGNORECASE)
QUOTED = re.compile(r"`(?:[^`]|``)*`")


@given(query_graphs())
@settings(max_examples=80, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_compiled_query_neither_writes_nor_calls_nor_holds_a_literal(query: QueryGraph) -> None:
    compiled = compile_query(query)
    for text in (compiled.text, compiled.evidence):
        bare = QUOTED.sub("", text.replace("\\u005C", ""))
        assert "`" not in bare
        assert not WRITES.search(bare)
        assert not re.search(r"2017|1200|it's", bare)
