"""Classes that relations imply in graphs of plain triples, and questions that are read by them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from kgneo.asking.question import ask, open_context
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.errors import EntityNotFound
from kgneo.graph.implied import Implied, implied
from kgneo.graph.index import build
from kgneo.graph.load import load
from kgneo.graph.run import evidence_of
from kgneo.graph.shape import LOADED
from kgneo.graph.statistics import HopStatistics, Statistics
from kgneo.loader import LoadedTriple
from kgneo.model import Triple
from kgneo.query.graph import Aggregate, Edge, QueryGraph, Selection, Value, Variable
from kgneo.server import RunningServer
from kgneo.stages.interpret import run_query
from tests.conftest import connect, wipe

SHIPS = {
    "Albatross": ("Hamra", "Norvik", "Captain Ines Moll", "120", "1968"),
    "Bittern": ("Hamra", "Norvik", "Captain Omar Reyes", "95", "1974"),
    "Cormorant": ("Tessel", "Norvik", "Captain Lea Brandt", "143", "1983"),
    "Dunlin": ("Tessel", "Ostrava Quay", "Captain Paul Idris", "61", "1991"),
    "Egret": ("Hamra", "Ostrava Quay", "Captain Sara Voss", "88", "1957"),
    "Fulmar": ("Orlen", "Ostrava Quay", "Captain Ben Okafor", "170", "2004"),
    "Gannet": ("Orlen", "Lindhaven", "Captain Mia Torres", "132", "2011"),
    "Heron": ("Tessel", "Lindhaven", "Captain Jon Aalto", "77", "1979"),
}
DEPTHS = {"Norvik": "14", "Ostrava Quay": "9", "Lindhaven": "21", "Brask": "9"}
TRIPLES = [
    *(
        triple
        for ship, (yard, harbour, captain, length, year) in SHIPS.items()
        for triple in (
            Triple(ship, "built_by", yard),
            Triple(ship, "is_moored_in", harbour),
            Triple(ship, "commanded_by", captain),
            Triple(ship, "length", length),
            Triple(ship, "launch_year", year),
        )
    ),
    *(Triple(harbour, "is_a_harbour_of", "Vesland") for harbour in DEPTHS),
    *(Triple(harbour, "depth", depth) for harbour, depth in DEPTHS.items()),
]


@pytest.fixture(scope="module")
def ships(newest_server: RunningServer, encoder: OnnxEncoder) -> Iterator[Context]:
    """Loaded and indexed triples about ships, which have no labels."""
    with connect(newest_server) as graph:
        wipe(graph)
        load(graph, map(LoadedTriple, TRIPLES), name="ships")
        build(graph, encoder, shape=LOADED)
        yield open_context(graph, encoder=encoder)


@pytest.fixture(scope="module")
def classes(ships: Context) -> Implied:
    return implied(ships.record.statistics)


def test_sets_of_the_same_entities_are_one_class(classes: Implied) -> None:
    owners = {classes.classes[relation, False] for relation in ("built_by", "is_moored_in", "commanded_by", "length")}
    assert len(owners) == 1


def test_a_relation_that_names_what_it_leaves_from_names_the_class(classes: Implied) -> None:
    assert classes.classes["is_a_harbour_of", False] == ("harbour",)


def test_a_word_that_most_names_have_names_the_class(classes: Implied) -> None:
    assert classes.classes["commanded_by", True] == ("captain",)


def test_a_set_that_lies_within_another_is_of_its_class(classes: Implied) -> None:
    assert classes.classes["is_moored_in", True] == ("harbour",)


def test_relations_that_lead_to_numbers_are_properties(classes: Implied) -> None:
    kinds = {key.key: key.kind for key in classes.vocabulary.keys}
    assert (kinds["length"], kinds["launch_year"]) == ("number", "date")
    assert "length" not in classes.vocabulary.relations


AGED = HopStatistics("age", False, (), 2, 1.0, 1.0, ("Ada", "Charles"), {"height": 0.65})
TALL = HopStatistics("height", False, (), 2, 1.0, 1.0, ("Ada", "Otto"), {"age": 0.65})


@pytest.mark.parametrize("sets", [(AGED,), (AGED, TALL)], ids=["the only one", "two that lie within each other"])
def test_of_whatever_sets_there_are_some_class_is_made(sets: tuple[HopStatistics, ...]) -> None:
    assert implied(Statistics(sets)).classes[("age", False)]


def test_a_class_that_nothing_else_tells_is_tested(classes: Implied) -> None:
    lowered = classes.lowered(QueryGraph((Variable("x0", ("harbour",)),), Aggregate("count", Value("x0"))))
    assert [edge.relations for edge in lowered.edges] == [("is_a_harbour_of",)]


def test_a_property_becomes_what_its_relation_leads_to(classes: Implied) -> None:
    ship = classes.classes["length", False][0]
    graph = QueryGraph(
        (Variable("x0", (ship,)),),
        Value("x0", "launch_year"),
        selections=(Selection("x0", Value("x0", "length"), descending=True),),
    )
    lowered = classes.lowered(graph)
    assert {edge.relations[0] for edge in lowered.edges} == {"length", "launch_year"}
    assert lowered.root != "x0"


def test_what_is_ordered_is_of_its_class_whatever_hangs_above_it(ships: Context, classes: Implied) -> None:
    shared = replace(classes, sure=frozenset(end for end in classes.sure if end[0] != "depth"))  # others are deep, too
    variables = (Variable("x0", classes.classes["is_a_harbour_of", True]), Variable("x1", ("harbour",)))
    edge = Edge("x1", ("is_a_harbour_of",), "x0")
    deepest = Selection("x1", Value("x1", "depth", "number"), descending=True)
    lowered = shared.lowered(QueryGraph(variables, Value("x0"), (edge,), selections=(deepest,)))
    assert [item.relations for item in lowered.edges].count(("is_a_harbour_of",)) == 2
    result = run_query(ships, lowered)
    assert result.answers == ("Vesland",)
    found = [item.triple for item in evidence_of(ships.knowledge, lowered, result)]
    assert Triple("Lindhaven", "is_a_harbour_of", "Vesland") in found


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many harbours are there?", {"4"}),
        ("Which harbours have a depth over 10?", {"Norvik", "Lindhaven"}),
        ("What is the deepest harbour?", {"Lindhaven"}),
        ("What is the length of the Bittern?", {"95"}),
        ("Which captain commands the Heron?", {"Captain Jon Aalto"}),
        ("Which ship built by [Hamra] is moored in [Ostrava Quay]?", {"Egret"}),
    ],
)
def test_questions_over_triples_are_read_by_their_classes(ships: Context, question: str, expected: set[str]) -> None:
    assert set(ask(ships, question, strategy="paths").answers) == expected


def test_the_triples_behind_an_answer_are_those_of_the_graph(ships: Context) -> None:
    answer = ask(ships, "What is the deepest harbour?", strategy="paths")
    assert Triple("Lindhaven", "depth", "21") in [item.triple for item in answer.evidence]


def test_a_number_that_the_user_marked_is_a_condition(ships: Context) -> None:
    answer = ask(ships, "Which harbour of [Vesland] has a depth of [21]?", strategy="paths")
    assert answer.answers == ("Lindhaven",)


@pytest.fixture(scope="module")
def films(newest_server: RunningServer, encoder: OnnxEncoder) -> Iterator[Context]:
    """Triples in which nodes are called like what people call kinds of things, and like words of a question."""
    directors = {
        "Second Summer": "Ana Sorel",
        "The Last Tide": "Ana Sorel",
        "Kawara": "Jon Aalto",
        "Tide": "Mia Torres",
    }
    writers = {"Second Summer": "Mia Torres", "The Last Tide": "Jon Aalto", "Kawara": "Ana Sorel", "Tide": "Paul Idris"}
    triples = [
        *(Triple(film, "directed_by", who) for film, who in directors.items()),
        *(Triple(film, "written_by", who) for film, who in writers.items()),
        *(
            Triple(film, "has_genre", genre)
            for film, genre in zip(directors, ("Drama", "War", "War", "Drama"), strict=True)
        ),
        *(
            Triple(film, "has_tags", tag)
            for film, tag in zip(directors, ("film", "director", "ana sorel", "fall"), strict=True)
        ),
        *(Triple("Second Summer", "has_tags", f"tag {number}") for number in range(70)),
        Triple("Primary", "directed_by", "Mia Torres"),
        Triple("Primary", "written_by", "Jon Aalto"),
        Triple("Primary", "has_genre", "Drama"),
    ]
    with connect(newest_server) as graph:
        wipe(graph)
        load(graph, map(LoadedTriple, triples), name="films")
        build(graph, encoder, shape=LOADED)
        yield open_context(graph, encoder=encoder)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("who directed the film Second Summer", {"Ana Sorel"}),
        ("what genre is the film Kawara", {"War"}),
        ("who is the director of Kawara", {"Jon Aalto"}),
        ("what genres do the films written by Ana Sorel fall under", {"War"}),
        ("which films did Ana Sorel direct", {"Second Summer", "The Last Tide"}),
        ("who wrote The Last Tide", {"Jon Aalto"}),
        ("what are the primary genres of the films written by Ana Sorel", {"War"}),
    ],
)
def test_a_word_for_a_kind_or_inside_a_name_is_no_name_itself(films: Context, question: str, answers: set[str]) -> None:
    assert set(ask(films, question).answers) == answers


def test_labels_are_the_classes_where_the_entities_have_some(sample_context: Context) -> None:
    found = implied(sample_context.record.statistics)
    assert found.classes["flows_into", True] == ("Sea", "River")
    assert "River" in found.vocabulary.labels
    assert not found.vocabulary.spoken


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("how many rivers are there?", ("26",)),
        ("how many seas do the rivers of [Germany] flow into?", ("3",)),
        ("which mountain was climbed first?", ("Triglav",)),
        ("which country has the most rivers?", ("Germany",)),
    ],
)
def test_what_is_counted_or_chosen_is_of_the_kind_that_was_asked(
    sample_context: Context, question: str, answers: tuple[str, ...]
) -> None:
    assert ask(sample_context, question, strategy="paths").answers == answers


@pytest.mark.parametrize(
    ("question", "label"),
    [("which rivers are there?", "River"), ("list all seas", "Sea"), ("name all currencies", "Currency")],
)
def test_things_of_a_kind_are_those_with_its_label(sample_context: Context, question: str, label: str) -> None:
    rows = sample_context.graph.read(f"MATCH (n:{label}) RETURN n.name AS name")
    assert set(ask(sample_context, question, strategy="paths").answers) == {row["name"] for row in rows}


def test_what_a_path_leads_to_is_of_the_kind_that_was_asked(sample_context: Context) -> None:
    answer = ask(sample_context, "which seas do the rivers of [Germany] flow into?", strategy="paths")
    assert set(answer.answers) == {"North Sea", "Baltic Sea", "Black Sea"}
    assert {item.triple.object for item in answer.evidence} >= set(answer.answers)


@pytest.mark.parametrize("question", ["How many lighthouses are there?", "which lighthouses are there?"])
def test_a_kind_that_the_graph_does_not_tell_apart_is_not_taken_for_another(ships: Context, question: str) -> None:
    with pytest.raises(EntityNotFound):
        ask(ships, question, strategy="paths")
