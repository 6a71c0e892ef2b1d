"""Counts, yes or no, extremes, comparisons and intersections on a hand-made graph in a real Neo4j."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest
from neo4j.graph import Node

from kgneo.asking.question import DOUBT, UNSURE, ask, interpret, open_context
from kgneo.context import Context, Options
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.graph.index import build
from kgneo.graph.shape import LOADED
from kgneo.model import Answer
from kgneo.server import RunningServer
from kgneo.stages.offer_readings import run_graph
from kgneo.strategies.protocol import Needs, NoOptions
from tests.conftest import connect, load_file, wipe

FOLDER = Path(__file__).parent / "graphs" / "music"
SPECIAL = [json.loads(line) for line in (FOLDER / "questions-special.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def music(newest_server: RunningServer, encoder: OnnxEncoder) -> Iterator[Context]:
    """The music graph, loaded and indexed, with what questions are answered with."""
    with connect(newest_server) as graph:
        wipe(graph)
        load_file(graph, FOLDER / "triples.tsv")
        build(graph, encoder, shape=LOADED)
        yield open_context(graph, encoder=encoder)


@pytest.mark.parametrize("kind", ["count", "yes_no", "superlative", "comparison", "intersection"])
def test_most_questions_of_each_form_are_answered(music: Context, kind: str) -> None:
    questions = [record for record in SPECIAL if record["kind"] == kind]
    wrong = [
        record["question"]
        for record in questions
        if set(ask(music, record["question"]).answers) != set(record["answers"])
    ]
    assert len(wrong) <= 1, wrong


@pytest.mark.parametrize("kind", ["count", "yes_no", "superlative", "comparison", "intersection"])
def test_the_first_reading_that_is_offered_has_the_form_that_is_answered(music: Context, kind: str) -> None:
    for question in (record["question"] for record in SPECIAL if record["kind"] == kind):
        first, answer = interpret(music, question)[0], ask(music, question, strategy="paths")
        assert set(run_graph(music, first.graph, limit=1000).result.answers) == set(answer.answers), question
        assert (first.wording, first.wording) == (answer.steps[0].question, answer.readings[0].text), question


def test_a_count_names_what_was_counted(music: Context) -> None:
    answer = ask(music, "How many albums did [The Beatles] record?")
    assert answer.answers == ("5",)
    assert "Abbey Road" in answer.answer
    assert {item.triple.object for item in answer.evidence} >= {"Abbey Road", "Revolver"}


def test_yes_rests_on_the_triple_that_says_so(music: Context) -> None:
    answer = ask(music, "Did [Eric Clapton] play in [Cream]?")
    assert answer.answers == ("yes",)
    assert "(Eric Clapton, PLAYED IN, Cream)" in {item.triple.text for item in answer.evidence}


def test_a_comparison_shows_the_values_that_it_compared(music: Context) -> None:
    answer = ask(music, "which [Pink Floyd] albums came out after 1975?", strategy="paths")
    assert {"1977", "1979"} <= {item.triple.object for item in answer.evidence}
    assert "1975" in answer.steps[0].question


def test_the_picture_of_an_intersection_has_both_paths(music: Context) -> None:
    answer = ask(music, "Who was born in [Birmingham] and plays [guitar]?")
    assert answer.answers == ("Tony Iommi",)
    assert answer.picture is not None
    rows = music.graph.read(answer.picture, **answer.cypher_parameters)
    shown = {value["name"] for row in rows for value in row.values() if isinstance(value, Node)}
    assert shown == {"Tony Iommi", "Birmingham", "guitar"}


def test_a_question_that_no_path_explains_is_answered_with_a_warning(music: Context) -> None:
    answer = ask(music, "what does [Eric Clapton] eat for breakfast?", strategy="paths")
    assert answer.confidence is not None
    assert answer.confidence < UNSURE
    assert answer.warnings[0] == DOUBT
    assert ask(music, "what did [Eric Clapton] play?").warnings == ()


def test_a_question_below_the_least_confidence_is_not_answered(music: Context) -> None:
    strict = replace(music, options=Options(min_confidence=0.3))
    answer = ask(strict, "what does [Eric Clapton] eat for breakfast?")
    assert answer.answer == "not found"
    assert answer.answers == ()
    assert 0 < len(answer.readings) <= 3
    assert answer.confidence is not None
    assert answer.confidence < strict.options.min_confidence


@pytest.mark.parametrize(
    "question",
    [
        "how many rivers are there?",
        "which countries does the [Mekong] cross?",
        "how many countries does the [Mekong] cross?",
        "does the [Mekong] flow through [Laos]?",
        "does the [Mekong] flow through [Peru]?",
        "which rivers flow through [Austria] and [Hungary]?",
    ],
    ids=["query graph", "relation path", "completed path", "joined path", "no path between", "intersection"],
)
def test_whichever_way_an_answer_came_it_is_not_given_below_the_least_confidence(
    sample_context: Context, question: str
) -> None:
    given = ask(sample_context, question, strategy="paths")
    strict = replace(sample_context, options=Options(min_confidence=1.0))
    withheld = ask(strict, question, strategy="paths")
    assert given.answers
    assert (withheld.answer, withheld.answers, withheld.evidence, withheld.cypher) == ("not found", (), (), None)
    assert withheld.confidence == given.confidence
    assert withheld.readings


@dataclass(frozen=True)
class _Guessing:
    """A strategy that is not sure, as one with a language model may be."""

    confidence: float | None
    name: ClassVar[str] = "guessing"
    needs: ClassVar[Needs] = Needs(graph=False)
    options: ClassVar[NoOptions] = NoOptions()
    splits: ClassVar[bool] = False
    nearest: ClassVar[bool] = False
    furthest: ClassVar[int | None] = None

    def answer(self, question: str, context: Context, *, entities: Sequence[str] = ()) -> Answer:  # noqa: ARG002
        return Answer(question, self.name, "Vienna", answers=("Vienna",), confidence=self.confidence)


@pytest.mark.parametrize(("confidence", "said"), [(0.04, "not found"), (0.5, "Vienna"), (None, "Vienna")])
def test_the_least_confidence_holds_for_every_strategy_that_has_one(
    sample_context: Context, confidence: float | None, said: str
) -> None:
    assert ask(sample_context, "what is the capital?", strategy=_Guessing(confidence)).answer == said


@pytest.mark.parametrize(
    "question", ["what is the weather in Berlin tomorrow?", "who is the president of France?", "what is [Peru] like?"]
)
def test_a_warning_has_no_confidence_beside_the_one_of_the_answer(sample_context: Context, question: str) -> None:
    doubtful = ask(replace(sample_context, options=Options(min_confidence=0.0)), question, strategy="paths")
    assert (doubtful.confidence or 0.0) < UNSURE
    assert doubtful.warnings
    assert not any(re.search(r"\d\.\d|%", warning) for warning in doubtful.warnings)
