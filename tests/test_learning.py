"""Learning: labelled questions become examples, by which other questions in the same words are understood."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kgneo.asking.question import ask, open_context
from kgneo.cli.main import main
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.errors import DataError
from kgneo.graph.examples import (
    Example,
    SimilarExample,
    all_examples,
    count_examples,
    read_scorer,
    remove_examples,
    write_scorer,
)
from kgneo.graph.index import build
from kgneo.graph.record import count_triples
from kgneo.graph.shape import LOADED
from kgneo.learning.paths import learn_questions, train_scorer
from kgneo.model import Hop, RelationPath, path_keys
from kgneo.questions import Question, read_labelled
from kgneo.ranking.recall import FEATURES, HAND, Lesson, Row, Scorer, accuracy, features, train
from kgneo.sample import questions_path, triples_path
from kgneo.server import RunningServer
from tests.conftest import connect, load_file, set_address, wipe

RIVERS = Question(
    "1", "zorgle the [Mekong]", ("Cambodia", "China", "Laos", "Myanmar", "Thailand", "Vietnam"), ("Mekong",)
)


@pytest.fixture(scope="module")
def server(newest_server: RunningServer) -> RunningServer:
    """The newest alone: `test_older_version.py` asks the others the same kinds of things."""
    return newest_server


@pytest.fixture(scope="module")
def loaded(server: RunningServer, encoder: OnnxEncoder) -> Iterator[Context]:
    """The sample graph on a server that examples may be written to."""
    with connect(server) as graph, pytest.MonkeyPatch.context() as patch:
        set_address(patch, server)
        wipe(graph)
        load_file(graph, triples_path())
        build(graph, encoder, shape=LOADED)
        yield open_context(graph, encoder=encoder)


@pytest.fixture
def context(loaded: Context) -> Context:
    """The same without examples. Their index stays: without it, Neo4j would plan all queries anew."""
    loaded.graph.write("MATCH (n:KgneoExample|KgneoScorer) DELETE n")
    return replace(loaded, memory={})


def sample_questions() -> tuple[Question, ...]:
    return read_labelled(questions_path())


def test_learned_words_are_understood_for_another_entity(context: Context) -> None:
    assert learn_questions(context, [RIVERS]).learned == 1
    answer = ask(context, "zorgle the [Seine]")
    assert answer.answers == ("France",)
    assert answer.readings[0].path == "flows_through"


def test_every_question_of_the_sample_is_learned_with_its_path(context: Context) -> None:
    report = learn_questions(context, sample_questions())
    records = [json.loads(line) for line in questions_path().read_text(encoding="utf-8").splitlines()]
    gold = {record["question"]: record["path"] for record in records}
    assert report.learned == report.questions == len(gold)
    assert {example.question: str(example.path) for example in all_examples(context.graph)} == gold


def test_learning_twice_changes_nothing(context: Context) -> None:
    questions = sample_questions()[::6]  # of one hop to three
    learn_questions(context, questions)
    before = all_examples(context.graph)
    assert len(before) == len(questions)
    learn_questions(context, questions)
    assert all_examples(context.graph) == before


def test_questions_of_one_text_and_path_are_one_example(context: Context) -> None:
    other = Question("2", "zorgle the [Po]", ("Italy",), ("Po",))
    report = learn_questions(context, [RIVERS, other])
    assert (report.learned, report.examples) == (2, 1)
    assert all_examples(context.graph)[0].count == 2


def test_answers_that_no_path_gives_are_reported_and_not_stored(context: Context) -> None:
    wrong = Question("1", "where does the [Vistula] end up?", ("Atlantis",), ("Vistula",))
    report = learn_questions(context, [wrong])
    assert report.learned == report.stored == 0
    assert "no path from its entity gives any of its answers" in report.rejected[0].reason


def test_a_question_that_contradicts_others_of_its_text_is_reported(context: Context) -> None:
    same = [
        Question("1", "zorgle the [Po]", ("Italy",), ("Po",)),
        Question("2", "zorgle the [Tagus]", ("Portugal", "Spain"), ("Tagus",)),
        Question("3", "zorgle the [Vistula]", ("Baltic Sea",), ("Vistula",)),
    ]
    report = learn_questions(context, same)
    assert [rejected.question for rejected in report.rejected] == ["zorgle the [Vistula]"]
    assert "contradicts 2 questions" in report.rejected[0].reason


def test_an_answer_list_that_lacks_some_is_learned_where_others_support_it(context: Context) -> None:
    partly = Question("2", "zorgle the [Danube]", ("Austria", "Germany", "Hungary"), ("Danube",))
    assert learn_questions(context, [partly]).learned == 0
    report = learn_questions(context, [RIVERS, partly])
    assert report.learned == 2
    assert report.paths == {"flows_through": 2}


def test_an_entity_that_is_not_in_the_graph_is_reported(context: Context) -> None:
    report = learn_questions(context, [Question("1", "zorgle [Middle-earth]", ("Mordor",), ("Middle-earth",))])
    assert "Middle-earth" in report.rejected[0].reason


def test_questions_without_brackets_are_learned(context: Context) -> None:
    report = learn_questions(context, [Question("1", "what is the capital of Ethiopia?", ("Addis Ababa",))])
    assert report.learned == 1
    assert all_examples(context.graph)[0].text == "what is the capital of X ?"


def test_examples_do_not_touch_the_graph(context: Context) -> None:
    before = count_triples(context.graph)
    learn_questions(context, [RIVERS])
    assert count_triples(context.graph) == before
    assert context.graph.read("MATCH (e:KgneoExample) WHERE (e)--() RETURN count(e) AS tied") == [{"tied": 0}]


def test_removing_all_leaves_no_trace(context: Context) -> None:
    learn_questions(context, [RIVERS])
    write_scorer(context.graph, Scorer().to_dict())
    assert remove_examples(context.graph) == 1
    assert context.graph.read("MATCH (n) WHERE n:KgneoExample OR n:KgneoScorer RETURN n") == []
    names = context.graph.schema("SHOW INDEXES YIELD name") + context.graph.schema("SHOW CONSTRAINTS YIELD name")
    assert not [row for row in names if "example" in row["name"]]


def test_examples_of_another_encoder_are_not_used(context: Context) -> None:
    learn_questions(context, [RIVERS])
    context.graph.write("MATCH (e:KgneoExample) SET e.fingerprint = 'another'")
    assert count_examples(context.graph, fingerprint=context.encoder.fingerprint) == 0
    assert ask(replace(context, memory={}), "what is the capital of [Ethiopia]?").answers == ("Addis Ababa",)


def test_the_scorer_comes_back_from_the_graph_as_it_was(context: Context) -> None:
    scorer = Scorer(tuple(float(number) for number in range(len(FEATURES))))
    write_scorer(context.graph, scorer.to_dict())
    assert Scorer.from_dict(read_scorer(context.graph)) == scorer


def test_a_scorer_of_another_version_is_not_used() -> None:
    assert Scorer.from_dict({"weights": {"something": 1.0}}) == Scorer.from_dict(None) == Scorer()


def test_training_without_examples_keeps_nothing(context: Context) -> None:
    assert train_scorer(context)[0] is None
    assert read_scorer(context.graph) is None


def test_the_command_learns_lists_and_removes(
    context: Context, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rivers.txt"
    file.write_text("zorgle the [Po]\tItaly\nzorgle the [Tagus]\tPortugal|Spain\n", encoding="utf-8")
    assert main(["learn", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["paths"] == {"flows_through": 2}
    assert main(["learn", "--list"]) == 0
    line = capsys.readouterr().out
    assert "zorgle the X  →  flows_through" in line
    assert main(["learn", "--remove", line.split()[0]]) == 0
    assert all_examples(context.graph) == []


def test_the_command_wants_one_thing_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn"]) == 2
    assert "learn takes one of: files, --from-schema, --list, --remove, --review" in capsys.readouterr().err


def test_a_line_without_answers_is_named(tmp_path: Path) -> None:
    file = tmp_path / "questions.txt"
    file.write_text("who is [X]\tY\nwho is [Z]\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"questions.txt:2: expected a question, a tab"):
        read_labelled(file)


def test_questions_of_two_files_keep_apart(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text('{"question": "q [X]", "answers": ["y"]}\n', encoding="utf-8")
    first, second = (read_labelled(tmp_path / name)[0] for name in ("a.jsonl", "b.jsonl"))
    assert first.id != second.id


def path(*relations: str) -> RelationPath:
    return RelationPath(tuple(Hop(relation) for relation in relations))


def neighbour(similarity: float, *relations: str) -> SimilarExample:
    return SimilarExample(Example("text", path(*relations), "question", "entity", 1), similarity)


def test_the_path_of_the_nearest_example_beats_a_better_ranked_one() -> None:
    rows = [Row(0, path("likes"), 1.0), Row(0, path("hates"), 0.2)]
    near = [neighbour(0.97, "hates"), neighbour(0.6, "likes")]
    scores = Scorer().scores(features(rows, [near], Counter()))
    assert scores[1] > scores[0]


def test_far_examples_leave_the_ranking_as_it_is() -> None:
    rows = [Row(0, path("likes"), 1.0), Row(0, path("hates"), 0.2)]
    scores = Scorer().scores(features(rows, [[neighbour(0.3, "hates")]], Counter()))
    assert scores[0] > scores[1]


def test_labels_on_the_way_do_not_make_another_path() -> None:
    assert path_keys(RelationPath((Hop("likes", labels=("Person",)),))) == path_keys(path("likes"))


def test_training_finds_what_decides() -> None:
    draw = np.random.default_rng(0)
    lessons = []
    for _ in range(60):
        numbers = np.zeros((5, len(FEATURES)))
        right = int(draw.integers(5))
        numbers[:, 0] = draw.normal(size=5)
        numbers[right, FEATURES.index("length")] = -0.9
        lessons.append(Lesson(numbers, right))
    assert accuracy(lessons[:30], Scorer(HAND)) < 0.7
    assert accuracy(lessons[:30], train(lessons[30:])) > 0.9
