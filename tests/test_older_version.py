"""One of each kind of what kgneo asks a graph, on the versions of Neo4j but the newest.

The files whose graphs these are ask the newest version much more. What differs by version is the server: queries of the
same kinds are planned and run there, with the same results.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from kgneo.asking.claim import verify
from kgneo.asking.question import ask, open_context
from kgneo.cli.main import main
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.graph import Graph, centrality
from kgneo.graph.cache import LocalCache
from kgneo.graph.candidates import Reach, fresh_mirror, top_candidates
from kgneo.graph.examples import all_examples, read_scorer, remove_examples, write_scorer
from kgneo.graph.index import build
from kgneo.graph.lessons import DRAWN, all_lessons
from kgneo.graph.open import open_knowledge
from kgneo.graph.shape import LOADED
from kgneo.learning.paths import learn_questions, train_scorer
from kgneo.learning.self_teaching import teach_self
from kgneo.query.graph import Edge, QueryGraph, Value, Variable
from kgneo.ranking.recall import Scorer
from kgneo.sample import triples_path
from kgneo.server import RunningServer
from kgneo.stages.interpret import run_query
from tests import (
    test_calendar,
    test_central,
    test_claims,
    test_from_documents,
    test_learning,
    test_places,
    test_spread,
    test_texts,
)
from tests.conftest import asked_on, connect, filled, load_file, set_address, wipe
from tests.guilds import LESSONS, guilds_on, members
from tests.serving import client
from tests.test_graph_index import CountingEncoder

Rows = dict[str, set[str]]
QUESTIONS: dict[str, tuple[str, Rows]] = {
    "the calendar": (
        test_calendar.FILL,
        {
            "Which sales were sold on weekends?": {"S-1", "S-3"},
            "Which sales were delivered in March?": {"S-1", "S-3"},
            "How many sales were sold per month?": {"March: 3", "May: 1"},
            "What is the average amount of sales per year?": {"2023: 15", "2024: 45"},
            "In which month was sale S-2 delivered?": {"April"},
            "On which weekday were most sales delivered?": {"Monday", "Saturday", "Tuesday", "Wednesday"},
            "Which sales were not sold before 2024?": {"S-3", "S-4"},
        },
    ),
    "places": (
        test_places.FILL,
        {
            "How far is Harbour Square from Airport Terminal?": {"12.4 km"},
            "How many hotels are within 4 km of Harbour Square?": {"2"},
            "hotels with less than 5 stars nearest to Harbour Square": {"Grey Whale", "Blue Barn"},
        },
    ),
    "places of what is joined": (
        test_places.JOINED,
        {
            "the 2 cinemas nearest to Ship Museum": {"Odeon", "Savoy"},
            "Which films are shown in cinemas within 5 km of Ship Museum?": {"Night Tide"},
        },
    ),
    "types that a property tells": (
        test_from_documents.TELL,
        {"Who owns Old Fort?": {"Ben Moss"}, "Who works at Paper Mill as of March 2020?": {"Ada Brook", "Ben Moss"}},
    ),
    "sentences": (test_from_documents.SAY, {"Who bought Paper Mill?": {"Ada Brook"}}),
    "comparisons": (
        test_claims.CLINIC,
        {"who is the oldest nurse?": {"Di Marsh"}, "which ward do most nurses work in?": {"South Wing"}},
    ),
}


@pytest.fixture
def older(older_server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Graph]:
    """An empty database of an older version."""
    set_address(monkeypatch, older_server)
    with connect(older_server) as graph:
        wipe(graph)
        yield graph
        shutil.rmtree(LocalCache(graph).folder, ignore_errors=True)


@pytest.mark.parametrize("name", QUESTIONS)
def test_questions_are_answered(older_server: RunningServer, name: str) -> None:
    statement, rows = QUESTIONS[name]
    with asked_on(older_server, statement) as context:
        assert {question: {*ask(context, question).answers} for question in rows} == rows


def test_claims_are_held_against_the_graph(older_server: RunningServer) -> None:
    with asked_on(older_server, test_claims.CLINIC) as context:
        claims = ("Ada Quist is from Norway.", "Ada Quist is from Chile.", "Three nurses work in the South Wing.")
        assert [verify(context, claim).verdict for claim in claims] == ["supported", "refuted", "supported"]


def test_told_types_are_absent_and_lead_any_number_of_steps(older_server: RunningServer) -> None:
    nodes = (Variable("x"), Variable("y"), Variable("z"))
    reports = Edge("x", ("REPORTS_TO",), "y")
    absent = QueryGraph(nodes, Value("x"), (reports, Edge("x", ("WORKS_AT",), "z", absent=True)))
    with asked_on(older_server, test_from_documents.TELL) as context:
        assert run_query(context, absent).answers == ("Cleo Ray",)
        above = (Variable("x"), Variable("y", ids=(test_from_documents.id_of(context.graph, "Ben Moss"),)))
        ways = QueryGraph(above, Value("x"), (Edge("x", ("REPORTS_TO",), "y", steps=(1, 0)),))
        assert set(run_query(context, ways).answers) == {"Ada Brook", "Cleo Ray"}


def test_what_stands_out_and_what_is_alike_is_found(older: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [[test_central.NAMES[one] for one in pair] for pair in test_central.FRIENDS.split()]
    for statement in test_central.FILL:
        older.write(statement, names=list(test_central.NAMES.values()), pairs=pairs)
    context = open_context(older)
    assert set(ask(context, "Who is the least connected person?").answers) == {"Hal"}
    assert ask(context, "Which person is the broker of the network?").answers == ("Di",)
    assert ask(context, "Who is like Gus?").answers[0] == "Ada"
    monkeypatch.setattr(centrality, "_has_library", lambda _: True)  # and no procedure of it is there
    assert "networkx" in centrality.standing(older, context.shape, ["KNOWS"], "pagerank").by


def test_texts_are_asked_what_they_say(older: Graph, encoder: OnnxEncoder) -> None:
    older.write(test_texts.FILL, plots=test_texts.PLOTS, reviews=test_texts.REVIEWS)
    test_texts.index(older, encoder)
    context = open_context(older)
    assert ask(context, "films about time travel after 2000").answers == ("Tomorrow Again",)
    assert len(ask(context, "What do people say about Tomorrow Again?").answers) == 2
    older.write("MATCH (film:Film {title: 'Tomorrow Again'}) SET film.plot = 'Nothing happens.'")
    assert "Tomorrow Again" not in run_query(open_context(older), test_texts.asking(test_texts.TIME)).answers
    assert main(["index", "--texts"]) == 0


def test_values_are_counted_and_what_is_amiss_is_told(older: Graph) -> None:
    with filled(older, test_spread.HOTELS), client(open_context(older)) as http:
        assert test_spread.counted(test_spread.values(http, "city")) == {"Ulm": 27, "Bonn": 14}
        assert test_spread.counted(test_spread.values(http, "tags")) == {"bar": 20, "pool": 20, "quiet": 20}
        assert test_spread.values(http, "opened")["least"] == "1991-05-01"
        assert test_spread.values(http, "rating")["missing"]["number"] == 6
        hotel = next(item for item in http.get("/api/v1/quality").json()["labels"] if item["name"] == "Hotel")
        assert (hotel["nodes"], hotel["islands"]) == (43, 3)
        assert main(["schema", "--quality"]) == 0


def test_lessons_are_learned_and_removed(older_server: RunningServer, encoder: OnnxEncoder) -> None:
    with guilds_on(older_server, encoder) as context:
        assert learn_questions(context, LESSONS).learned == len(LESSONS)
        context.memory.clear()
        assert set(ask(context, "Which painters swore to the Saddle guild?").answers) == set(members("Saddle"))
        learn_questions(context, teach_self(context, 20).kept, source=DRAWN)
        assert {lesson.source for lesson in all_lessons(context.graph)} == {"", DRAWN}
        assert main(["learn", "--remove", "from-schema"]) == 0
        assert {lesson.source for lesson in all_lessons(context.graph)} == {""}
        assert main(["learn", "--remove", "all"]) == 0
        assert all_lessons(context.graph) == []


def test_relation_paths_are_learned_listed_and_removed(
    older: Graph, encoder: OnnxEncoder, capsys: pytest.CaptureFixture[str]
) -> None:
    load_file(older, triples_path())
    build(older, encoder, shape=LOADED)
    context: Context = open_context(older, encoder=encoder)
    assert learn_questions(context, [test_learning.RIVERS]).learned == 1
    assert ask(context, "zorgle the [Seine]").answers == ("France",)
    names = context.knowledge.names
    assert [found.entity.name for found in names.by_folded_name(["danube"])["danube"]] == ["Danube"]
    assert names.by_words("danub")[0].entity.name == "Danube"
    train_scorer(context)
    write_scorer(older, Scorer().to_dict())
    assert Scorer.from_dict(read_scorer(older)) == Scorer()
    assert main(["learn", "--list"]) == 0
    assert "zorgle the X  →  flows_through" in capsys.readouterr().out
    assert remove_examples(older) == 1
    assert all_examples(older) == []


def test_a_mirror_finds_what_the_graph_finds_and_is_renewed(
    older: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path))
    load_file(older, triples_path())
    build(older, CountingEncoder(), shape=LOADED)
    reach = Reach((older.read("MATCH (n:Entity {name: 'Danube'}) RETURN elementId(n) AS id")[0]["id"],), 2, "both")
    vector = np.random.default_rng(3).normal(size=16).astype(np.float32)

    def nearest() -> set[str]:
        return {str(item.triple) for item in top_candidates(open_knowledge(older), reach, vector, top_k=20)}

    without = nearest()
    mirror = LocalCache(older).mirror()
    assert mirror.renew(older, CountingEncoder().dimensions)
    assert fresh_mirror(open_knowledge(older)) is not None
    assert nearest() == without
    older.write("CREATE (:Elsewhere)")
    assert fresh_mirror(open_knowledge(older)) is None
    assert mirror.renew(older, CountingEncoder().dimensions)
    assert fresh_mirror(open_knowledge(older)) is not None
