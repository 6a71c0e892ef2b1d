"""Learning over a graph with labels: questions become templates of query graphs, and weights of words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from kgneo.asking.question import ask
from kgneo.cli.main import main
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.graph.lessons import all_lessons, read_learned
from kgneo.learning.paths import learn_questions
from kgneo.learning.readings import NEVER, thresholds
from kgneo.model import Answer
from kgneo.query.graph import QueryGraph, Value, Variable
from kgneo.questions import GoldNode, Question, read_labelled
from kgneo.server import RunningServer
from tests.guilds import LESSONS, guilds_on, members, without_lessons


@pytest.fixture(scope="module")
def server(newest_server: RunningServer) -> RunningServer:
    """The newest alone: `test_older_version.py` asks the others the same kinds of things."""
    return newest_server


@pytest.fixture(scope="module")
def guilds(server: RunningServer, encoder: OnnxEncoder) -> Iterator[Context]:
    with guilds_on(server, encoder) as context:
        yield context


@pytest.fixture
def context(guilds: Context) -> Context:
    return without_lessons(guilds)


@pytest.fixture(scope="module")
def learned(guilds: Context) -> Context:
    """The same after the lessons."""
    report = learn_questions(without_lessons(guilds), LESSONS)
    assert (report.learned, report.examples, report.trained) == (12, 2, True)
    return guilds


def found(answer: Answer) -> set[str]:
    return set(answer.answers)


def test_learned_words_tell_the_relationship(learned: Context) -> None:
    assert found(ask(learned, "Which painters swore to the Saddle guild?")) == set(members("Saddle"))
    assert found(ask(learned, "Which painters broke with the Saddle guild?")) == set(members("Saddle", first=2, last=6))


def test_learned_words_help_a_question_of_another_template(learned: Context) -> None:
    assert ask(learned, "How many painters broke with the Saddle guild?").answers == ("4",)
    assert ask(learned, "How many painters swore to the Saddle guild?").answers == ("2",)


def test_a_learned_reading_tells_how_likely_it_is(learned: Context) -> None:
    answer = ask(learned, "Which painters swore to the Saddle guild?")
    assert answer.confidence is not None
    assert answer.confidence > 0.25  # of two dozen readings that were likely; chance alone gives each 0.04


def test_lessons_do_not_touch_the_graph(learned: Context) -> None:
    rows = learned.graph.read("MATCH (n:KgneoLesson|KgneoLearned) WHERE (n)--() RETURN count(n) AS tied")
    assert rows == [{"tied": 0}]


def test_a_lesson_has_its_values_cut_out(learned: Context) -> None:
    lessons = all_lessons(learned.graph)
    assert {lesson.text for lesson in lessons} == {
        "which painters swore to the …", "which painters broke with the …"
    } or {lesson.text for lesson in lessons} == {
        "which painters swore to the … guild", "which painters broke with the … guild"
    }  # fmt: skip
    assert sum(lesson.count for lesson in lessons) == 12


def test_questions_of_one_text_and_template_are_one_lesson(context: Context) -> None:
    assert read_learned(context.graph) is None
    report = learn_questions(context, LESSONS[:2])
    assert (report.stored, report.trained) == (1, True)
    assert learn_questions(context, LESSONS[:2]).stored == 1


def test_gold_nodes_are_learned(context: Context) -> None:
    nodes = tuple(GoldNode("Painter", {"name": name}) for name in members("Heron"))
    report = learn_questions(context, [Question("1", LESSONS[0].text, (), nodes=nodes)])
    assert report.learned == 1


def test_a_gold_query_is_taken_as_it_is(context: Context) -> None:
    cypher = "MATCH (p:Painter)-[:REL_B]-(g:Guild {name: 'Heron'}) RETURN p"
    learn_questions(context, [Question("1", LESSONS[0].text, members("Heron"), cypher=cypher)])
    [lesson] = all_lessons(context.graph)
    assert lesson.graph.edges[0].relations == ("REL_B",)
    assert lesson.graph.edges[0].subject == "p"


def test_answers_that_no_reading_gives_are_reported(context: Context) -> None:
    report = learn_questions(context, [Question("1", LESSONS[0].text, ("Nobody",))])
    assert report.learned == 0
    assert "no reading gives its answers" in report.rejected[0].reason


def test_removing_all_leaves_no_trace(context: Context, capsys: pytest.CaptureFixture[str]) -> None:
    learn_questions(context, LESSONS[:2])
    assert main(["learn", "--remove", "all"]) == 0
    assert context.graph.read("MATCH (n:KgneoLesson|KgneoLearned) RETURN n") == []
    assert "Removed 1" in capsys.readouterr().out


def test_lessons_are_listed_in_words(context: Context, capsys: pytest.CaptureFixture[str]) -> None:
    learn_questions(context, LESSONS[:2])
    assert main(["learn", "--list"]) == 0
    assert "swore to the" in capsys.readouterr().out


# Gold queries --------------------------------------------------------------------------------------------------------


def test_a_file_of_questions_may_have_gold_queries(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    query = {"variables": [{"name": "p", "labels": ["Painter"]}], "answer": {"of": "p"}}
    lines = [
        {"question": "which painters?", "answers": ["Ada"], "cypher": "MATCH (p:Painter) RETURN p"},
        {"question": "what painters?", "answers": ["Ada"], "query_graph": query},
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    one, two = read_labelled(file)
    assert one.cypher == "MATCH (p:Painter) RETURN p"
    assert two.query_graph == QueryGraph((Variable("p", ("Painter",)),), Value("p"))


@pytest.mark.parametrize(("better", "worse", "first"), [(8, 0, True), (2, 1, False), (0, 0, False), (0, 3, False)])
def test_readings_of_templates_not_learned_go_first_only_where_that_gains_more_than_chance(
    better: int, worse: int, first: bool
) -> None:
    alone = np.array([False] * 10 + [True] * 10)
    right = np.array([True] * better + [False] * (10 - better) + [False] * worse + [True] * (10 - worse))
    sure, gain = thresholds(np.full(20, 0.6), np.zeros(20, dtype=bool), right, alone)
    assert (sure[1] < NEVER) == first
    assert gain == (pytest.approx(better / 20) if first else 0.0)
