"""Questions that are asked while a graph's embeddings are being made, or after that was interrupted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kgneo.asking.question import ask, open_context
from kgneo.cli import index as index_command
from kgneo.cli.main import main
from kgneo.context import Context, Options
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.graph import Graph
from kgneo.graph import index as index_module
from kgneo.graph.cache import LocalCache
from kgneo.graph.index import Progress, build, build_locally
from kgneo.graph.open import known_shape
from kgneo.graph.record import require
from kgneo.graph.shape import LOADED
from kgneo.llm import ScriptedModel
from kgneo.model import Answer
from kgneo.sample import triples_path
from kgneo.stages import retrieve as retrieve_module
from kgneo.stages.link import link
from kgneo.stages.retrieve import retrieve
from tests.conftest import load_file, on_one_version
from tests.pipeline_stand_in import StandIn
from tests.test_graph_index import CountingEncoder, Interrupted
from tests.test_kg_rag import NEAREST, sample_questions

QUESTION, CAPITAL = "what is the capital of [Ethiopia]?", ("Addis Ababa",)
TRIPLES = 327


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "BATCH", 64)
    monkeypatch.setattr(index_module, "RECORD_SECONDS", 0.0)


def begin(graph: Graph, encoder: Any, *, until: int, **known: Any) -> None:
    """Index up to the first batch that ends at `until` triples or after."""

    def interrupt(progress: Progress) -> None:
        if progress.stage == "encoding" and progress.done >= until:
            raise Interrupted

    with pytest.raises(Interrupted):
        build(graph, encoder, **{"shape": LOADED, **known}, on_progress=interrupt)


@pytest.fixture
def begun(emptied: Graph, encoder: OnnxEncoder) -> Graph:
    """The sample with 128 of its embeddings."""
    load_file(emptied, triples_path())
    begin(emptied, encoder, until=128)
    return emptied


def test_a_question_is_answered_before_the_first_embedding_is_made(emptied: Graph, encoder: OnnxEncoder) -> None:
    load_file(emptied, triples_path())
    answers: list[Answer] = []

    def asks(progress: Progress) -> None:
        if progress.stage == "encoding" and not answers:
            answers.append(ask(open_context(emptied, encoder=encoder), QUESTION))

    build(emptied, encoder, shape=LOADED, on_progress=asks)
    assert answers[0].answers == CAPITAL
    assert answers[0].warnings[-1].startswith(f"0 of {TRIPLES} triples have an embedding yet; auto needs none")
    assert not ask(open_context(emptied, encoder=encoder), QUESTION).warnings


@on_one_version
def test_a_context_that_was_opened_meanwhile_warns_no_more_when_embeddings_are_made(
    begun: Graph, encoder: OnnxEncoder
) -> None:
    context = open_context(begun, encoder=encoder)
    assert ask(context, QUESTION).warnings[-1].startswith(f"128 of {TRIPLES} triples")
    build(begun, encoder, shape=LOADED)
    assert not ask(context, QUESTION).warnings


def nearest(context: Context, text: str) -> dict[str, float]:
    linked = link(context.knowledge, text)
    return {str(item.triple): item.score or 0.0 for item in retrieve(linked.text, linked.entity_ids, context).nearest}


def test_few_candidates_are_compared_as_if_all_embeddings_were_made(begun: Graph, encoder: OnnxEncoder) -> None:
    options = Options(hops=2)
    texts = ("which sea does the [Danube] flow into?", "who speaks French in [Switzerland]?")
    meanwhile = [nearest(open_context(begun, encoder=encoder, options=options), text) for text in texts]
    build(begun, encoder, shape=LOADED)
    afterwards = [nearest(open_context(begun, encoder=encoder, options=options), text) for text in texts]
    assert [len(found) for found in afterwards] == [options.top_k] * len(texts)
    assert meanwhile == [pytest.approx(found, abs=1e-4) for found in afterwards]


@on_one_version
def test_of_many_candidates_without_an_embedding_the_nearest_hops_are_compared(
    emptied: Graph, encoder: OnnxEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrieve_module, "MADE_HERE", 2)
    load_file(emptied, triples_path())
    begin(emptied, encoder, until=0)
    context = open_context(emptied, encoder=encoder)
    linked = link(context.knowledge, QUESTION)
    found = retrieve(linked.text, linked.entity_ids, context).nearest
    assert len(found) == 2
    assert {item.hop for item in found} == {1}


@on_one_version
def test_a_strategy_over_the_nearest_triples_answers_and_says_what_it_did_not_compare(
    begun: Graph, encoder: OnnxEncoder
) -> None:
    question = next(question for question in sample_questions() if question.text == QUESTION)
    context = open_context(begun, encoder=encoder, model=StandIn([question]).model())
    answer = ask(context, QUESTION, strategy=NEAREST)
    assert answer.answers == CAPITAL
    assert "only some around an entity were compared" in answer.warnings[-1]


@on_one_version
def test_no_warning_comes_with_an_answer_that_takes_nothing_from_the_graph(begun: Graph, encoder: OnnxEncoder) -> None:
    context = open_context(begun, encoder=encoder, model=ScriptedModel(["Addis Ababa"]))
    answer = ask(context, QUESTION, strategy="llm")
    assert answer.answer == "Addis Ababa"
    assert not any("embedding" in warning for warning in answer.warnings)


def test_embeddings_of_another_encoder_do_not_stay_beside_the_new_ones(emptied: Graph) -> None:
    load_file(emptied, triples_path())
    build(emptied, CountingEncoder(), shape=LOADED)
    begin(emptied, CountingEncoder(name="other", fingerprint="other"), until=64)
    row = emptied.read("MATCH ()-[r]->() RETURN count(r.kgneo_embedding) AS vectors, count(r.kgneo_digest) AS digests")[
        0
    ]
    assert (row["vectors"], row["digests"]) == (64, 64)
    record = require(emptied)
    assert (record.encoder, record.embedded, record.triples) == ("other", 64, TRIPLES)


@on_one_version
def test_going_on_counts_from_where_it_stopped(begun: Graph, encoder: OnnxEncoder) -> None:
    begin(begun, encoder, until=0)
    assert require(begun).unfinished == f"128 of {TRIPLES} triples have an embedding yet"


@on_one_version
@pytest.mark.usefixtures("emptied", "encoder")
def test_loading_says_when_questions_can_be_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(index_command, "WORTH_TELLING", 100)
    assert main(["load", str(triples_path())]) == 0
    assert "Questions can be asked from now on" in capsys.readouterr().err
    assert main(["index"]) == 0
    assert "Questions can be asked" not in capsys.readouterr().err


@on_one_version
@pytest.mark.usefixtures("begun")
def test_the_command_answers_with_one_warning_and_measuring_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["ask", QUESTION]) == 0
    shown = capsys.readouterr()
    assert "Addis Ababa" in shown.out
    assert (shown.out + shown.err).count("have an embedding yet") == 1
    assert main(["doctor"]) == 0
    assert f"128 of {TRIPLES} triples have an embedding yet; `kgneo index` makes them" in capsys.readouterr().out
    file = tmp_path / "questions.jsonl"
    file.write_text('{"question": "what is the capital of [Ethiopia]?", "answers": ["Addis Ababa"]}\n')
    assert main(["eval", "jsonl", str(file), "--out", str(tmp_path / "out")]) == 1
    assert "figures would change" in capsys.readouterr().err


FILMS = """
CREATE (moon:Movie {title: 'Harvest Moon', released: 1999}), (pier:Movie {title: 'North Pier', released: 2011}),
       (ida:Person {fullName: 'Ida Brandt'}), (tom:Person {fullName: 'Tom Okello'}),
       (ida)-[:ACTED_IN]->(moon), (ida)-[:ACTED_IN]->(pier), (tom)-[:DIRECTED]->(moon)
"""


@on_one_version
@pytest.mark.parametrize("here", [False, True], ids=["in the graph", "on this machine"])
def test_a_property_graph_is_asked_while_it_is_indexed(
    graph: Graph, encoder: OnnxEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: bool
) -> None:
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(index_module, "BATCH", 2)
    graph.write(FILMS)
    schema, shape = known_shape(graph)
    answers: list[Answer] = []

    def asks(progress: Progress) -> None:
        if progress.stage == "encoding" and progress.done == 2:
            answers.append(ask(open_context(graph, encoder=encoder), "Who directed [Harvest Moon]?"))

    built = build_locally if here else build
    built(graph, encoder, shape=shape, schema=schema, on_progress=asks)
    assert answers[0].answers == ("Tom Okello",)
    assert any(warning.startswith("2 of 5 triples have an embedding yet") for warning in answers[0].warnings)
    LocalCache(graph).remove()
