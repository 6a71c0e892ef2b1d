"""Questions about ways between things and levels: heard, read, answered with all shortest ways and their triples."""

from __future__ import annotations

import re

import pytest

from kgneo.asking.question import ask, open_context
from kgneo.context import Context
from kgneo.english.connections import CUES, Cue
from kgneo.errors import DataError
from kgneo.graph import Graph
from kgneo.query.from_cypher import from_cypher
from kgneo.query.graph import ANY_DEPTH, Edge, QueryGraph, Value, Variable
from kgneo.query.wording import wording
from kgneo.reading.connections import asked_of, at_any_depth, with_names
from kgneo.stages.climb import chains_of
from kgneo.terms.file import terms_of

FILL = (
    # A country that joins everybody, a chain of bosses with a circle at its top, a pair that nothing joins to the rest.
    "CREATE (:Country {name: 'Norland'})",
    "UNWIND range(1, 60) AS i MATCH (c:Country) CREATE (:Person {name: 'Citizen ' + i})-[:LIVES_IN]->(c)",
    "UNWIND ['Ada Birch', 'Bo Cole', 'Cy Dunn', 'Di Egan', 'Ed Finn', 'Flo Gray'] AS name"
    " MATCH (c:Country) CREATE (:Person {name: name})-[:LIVES_IN]->(c)",
    "UNWIND [['Flo Gray', 'Ed Finn'], ['Ed Finn', 'Di Egan'], ['Di Egan', 'Ada Birch'], ['Cy Dunn', 'Ada Birch'],"
    " ['Bo Cole', 'Cy Dunn']] AS pair MATCH (a:Person {name: pair[0]}), (b:Person {name: pair[1]})"
    " CREATE (a)-[:REPORTS_TO]->(b)",
    "UNWIND ['Bo Cole', 'Flo Gray'] AS name MATCH (a:Person {name: name})"
    " MERGE (c:Club {name: 'Chess Club'}) CREATE (a)-[:MEMBER_OF]->(c)",
    "CREATE (:Person {name: 'Gus Hale'})-[:KNOWS]->(:Person {name: 'Hal Ives'})",
)


@pytest.fixture
def staff(graph: Graph) -> Context:
    for statement in FILL:
        graph.write(statement)
    return open_context(graph)


def names_of(example: str) -> list[tuple[int, int]]:
    return [found.span() for found in re.finditer(r"\bX\b", example)]


@pytest.mark.parametrize("cue", CUES, ids=[cue.example for cue in CUES])
def test_each_cue_is_heard_in_its_example(cue: Cue) -> None:
    asked = asked_of(cue.example, names_of(cue.example))
    assert asked is not None
    assert asked.asks == cue.asks


@pytest.mark.parametrize(
    "question",
    [
        "Who directed X and X?",
        "Which films star X?",
        "Where does X live?",
        "X",
        "The films that share X with the film X are by whom?",
        "What genres do the films that share directors with X X under?",
    ],
)
def test_other_questions_have_no_cue(question: str) -> None:
    assert asked_of(question, names_of(question)) is None


def test_a_name_is_avoided_before_or_behind_the_words_that_say_so() -> None:
    for question in ("Is there a way from X to X that avoids X?", "Are X and X connected if X is left out?"):
        asked = asked_of(question, names_of(question))
        assert asked is not None
        assert (asked.ends, asked.avoided) == ((0, 1), 2)


def test_names_that_are_given_stand_for_they() -> None:
    assert with_names("How are they connected?", ("Ann", "Bob")) == "How are [Ann] and [Bob] connected?"


def test_words_for_any_depth_are_taken_off() -> None:
    assert at_any_depth("Who reports to Ann, directly or indirectly?").text == "Who reports to Ann?"
    assert not at_any_depth("Who reports to Ann?").said


def test_a_way_is_told_with_its_ends_and_what_it_avoids() -> None:
    edge = Edge("x", (), "y", name="w", directed=False, steps=(1, 6), avoiding=("z",))
    graph = QueryGraph(
        (Variable("x", ids=("1",)), Variable("y", ids=("2",)), Variable("z", ids=("3",))), Value("w"), (edge,)
    )
    nodes = {"1": "Ann", "2": "Bob", "3": "Cy"}
    assert wording(graph, nodes=nodes) == "shortest ways from Ann to Bob (in up to 6 steps, without passing Cy)"


def test_relationships_of_several_steps_are_read_from_cypher() -> None:
    assert from_cypher("MATCH (a:Person)-[:KNOWS*2..4]->(b) RETURN b").edges[0].steps == (2, 4)
    assert from_cypher("MATCH (a:Person)-[:KNOWS]->+(b) RETURN b").edges[0].steps == ANY_DEPTH
    ways = from_cypher("MATCH p = shortestPath((a {name: 'A'})-[*..6]-(b {name: 'B'})) RETURN p")
    assert ways.way is not None
    with pytest.raises(DataError):
        from_cypher("MATCH (a:Person)-[:KNOWS*0..4]->(b) RETURN b")


def test_ways_and_levels_are_answered(staff: Context) -> None:
    ways = ask(staff, "How are Bo Cole and Flo Gray connected?")
    assert ways.answers[0] == "Bo Cole –MEMBER_OF→ Chess Club ←MEMBER_OF– Flo Gray"  # the rarest first
    assert set(ways.answers[1:]) == {"Bo Cole –LIVES_IN→ Norland ←LIVES_IN– Flo Gray"}
    assert {item.triple.object for item in ways.evidence} == {"Chess Club", "Norland"}
    assert ask(staff, "How many steps is it from [Bo Cole] to [Di Egan]?").answers == ("2",)
    below = ask(staff, "Who reports to Ada Birch, directly or indirectly?")
    assert set(below.answers) == {"Bo Cole", "Cy Dunn", "Di Egan", "Ed Finn", "Flo Gray"}
    assert set(ask(staff, "Who is above Flo Gray?").answers) == {"Ed Finn", "Di Egan", "Ada Birch"}
    assert ask(staff, "How many levels are there below Ada Birch?").answers == ("3",)
    assert ask(staff, "Are Gus Hale and Ada Birch connected?").answers == ("no",)


def test_terms_say_which_way_a_relationship_type_leads(staff: Context) -> None:
    above = "Who is above Flo Gray?"
    for hierarchy, found in (("up", {"Ed Finn", "Di Egan", "Ada Birch"}), ("down", set())):
        staff.graph.terms = terms_of({"relations": {"REPORTS_TO": {"hierarchy": hierarchy}}})
        assert {*ask(open_context(staff.graph), above).answers} == found
    staff.graph.terms = terms_of({"relations": {"REPORTS_TO": {"hierarchy": "none"}}})
    assert "REPORTS_TO" not in {chain.relation for chain in chains_of(open_context(staff.graph))}


def test_ways_past_what_joins_everything_are_looked_for_too(staff: Context) -> None:
    found = ask(staff, "How are Ada Birch and Ed Finn connected?")
    assert any("Norland (66 relationships)" in warning for warning in found.warnings) or "Di Egan" in found.answers[0]
    alone = ask(staff, "How are Cy Dunn and Ed Finn connected?")
    assert "Norland (66 relationships)" in alone.warnings[0]
    assert alone.steps[1].answers == ("Cy Dunn –REPORTS_TO→ Ada Birch ←REPORTS_TO– Di Egan ←REPORTS_TO– Ed Finn",)


def test_a_circle_ends(staff: Context) -> None:
    staff.graph.write("MATCH (a {name: 'Ada Birch'}), (b {name: 'Bo Cole'}) CREATE (a)-[:REPORTS_TO]->(b)")
    found = ask(open_context(staff.graph), "Who reports to Ada Birch, directly or indirectly?")
    assert set(found.answers) == {"Bo Cole", "Cy Dunn", "Di Egan", "Ed Finn", "Flo Gray"}
