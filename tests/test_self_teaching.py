"""Self-teaching: questions that are drawn from a graph, put into words, read back and learned."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from kgneo.asking.question import ask
from kgneo.cli.main import main
from kgneo.context import Clock, Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.errors import ModelError, UsageError
from kgneo.graph.lessons import DRAWN, Lesson, all_lessons, read_learned, store_lessons
from kgneo.learning.paths import learn_questions
from kgneo.learning.self_teaching import Told, spread, teach_self
from kgneo.llm import Message, Parameters, ScriptedModel
from kgneo.prompts import Prompts
from kgneo.query.graph import Aggregate, Edge, QueryGraph, Value, Variable
from kgneo.questions import Question
from kgneo.server import RunningServer
from kgneo.stages.generate import ModelCalls
from tests.guilds import GUILDS, LESSONS, NAMES, guilds_on, members, without_lessons

LINE = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)
SAID = {"with rel a": "that swore to", "rel a": "sworn", "with rel b": "that broke with", "rel b": "broken"}
"""What people say for the two relationship types."""


def part(prompt: str, title: str) -> dict[str, str]:
    """The numbered lines of a prompt behind a title."""
    return dict(LINE.findall(prompt.split(f"{title}:\n")[-1].split("\n\n")[0]))


def people(text: str) -> str:
    for stiff, said in SAID.items():
        text = text.replace(stiff, said)
    return text


def speaks(messages: Sequence[Message], parameters: Parameters) -> str:
    """A model that knows what the types are called, and takes a question for the meaning with most of its words."""
    prompt = messages[-1].content
    if parameters.stage == "reword":
        return json.dumps({number: [people(text)] for number, text in part(prompt, "Meanings").items()})
    meanings = {number: set(people(text).split()) for number, text in part(prompt, "Meanings").items()}

    def meant(question: str) -> int:
        words = set(question.replace("?", "").split())
        return int(max(meanings, key=lambda number: len(words & meanings[number]) - len(words ^ meanings[number])))

    return json.dumps({number: meant(text) for number, text in part(prompt, "Questions").items()})


def calls_of(model: ScriptedModel) -> ModelCalls:
    return ModelCalls(model, Prompts(), Clock())


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
def told(guilds: Context) -> Told:
    """What a model makes of forty query graphs."""
    return teach_self(guilds, 40, calls=calls_of(ScriptedModel(speaks)))


def test_without_a_model_what_is_kept_is_read_back(context: Context) -> None:
    found = teach_self(context, 20)
    assert found.drawn == found.worded == 20
    assert len(found.kept) == found.read > 4
    assert all(item.query_graph is not None and not item.entities for item in found.kept)


def test_the_same_seed_draws_the_same_questions(context: Context) -> None:
    assert teach_self(context, 5, seed=3).kept == teach_self(context, 5, seed=3).kept


def test_what_a_model_confirms_is_kept_though_the_reader_reads_something_else(told: Told) -> None:
    assert len(told.kept) > told.read
    assert {"swore", "broke"} <= {word for item in told.kept for word in item.text.split()}


def test_what_a_graph_taught_itself_helps_questions_that_were_not_drawn(context: Context, told: Told) -> None:
    learn_questions(context, told.kept, source=DRAWN)
    context.memory.clear()
    found = ask(context, "Which painters swore to the Saddle guild?").answers
    assert set(found) == set(members("Saddle"))
    assert ask(context, "How many painters broke with the Saddle guild?").answers == ("4",)


def test_a_question_that_leaves_out_a_value_is_not_kept(context: Context) -> None:
    def forgets(messages: Sequence[Message], _: Parameters) -> str:
        lines = part(messages[-1].content, "Meanings")
        return json.dumps({number: ["Which painters are there?"] for number in lines})

    found = teach_self(context, 20, calls=calls_of(ScriptedModel(forgets)))
    values = {*GUILDS, *NAMES}
    assert 0 < found.worded < 20
    assert not [item for item in found.kept if item.query_graph and values & set(map(str, _right(item.query_graph)))]


def _right(graph: QueryGraph) -> Iterator[object]:
    for condition in graph.conditions:
        yield from condition.right if isinstance(condition.right, tuple) and condition.operator == "=" else ()


def test_a_question_that_the_model_takes_for_something_else_is_not_kept(context: Context) -> None:
    def doubts(messages: Sequence[Message], parameters: Parameters) -> str:
        reword = parameters.stage == "reword"
        return speaks(messages, parameters) if reword else json.dumps(dict.fromkeys(map(str, range(1, 11)), 0))

    found = teach_self(context, 20, calls=calls_of(ScriptedModel(doubts)))
    assert len(found.kept) == found.read


@pytest.mark.parametrize("reply", ["no JSON", "[]", '{"1": 7, "2": [3, ""], "x": null}'])
def test_a_reply_of_another_form_teaches_nothing(context: Context, reply: str) -> None:
    said: list[str] = []
    found = teach_self(context, 5, calls=calls_of(ScriptedModel(lambda *_: reply)), warn=said.append)
    assert found.kept == ()
    assert bool(said) == ("{" not in reply)


def test_a_model_that_fails_is_told_and_teaches_nothing(context: Context) -> None:
    def fails(*_: object) -> str:
        raise ModelError("it is away")

    said: list[str] = []
    assert teach_self(context, 5, calls=calls_of(ScriptedModel(fails)), warn=said.append).kept == ()
    assert "it is away" in said[0]


def test_each_name_and_form_is_taken_in_turn() -> None:
    painters = QueryGraph((Variable("x0", ("Painter",)),), Value("x0"))
    number = QueryGraph((Variable("x0", ("Painter",)),), Aggregate("count", Value("x0")))
    joined = QueryGraph(
        (Variable("x0", ("Painter",)), Variable("x1", ("Guild",))), Value("x0"), (Edge("x0", ("REL_A",), "x1"),)
    )
    given = [
        Question(str(place), "", (), query_graph=graph)
        for place, graph in enumerate([painters, painters, number, joined])
    ]
    assert {item.id for item in spread(given, 3)} == {"0", "2", "3"}


def test_triples_without_labels_are_refused(sample_context: Context) -> None:
    with pytest.raises(UsageError, match="whose nodes have labels"):
        teach_self(sample_context, 5)


# Lessons of their own kind -------------------------------------------------------------------------------------------


def test_one_command_removes_what_was_drawn_and_leaves_what_was_asked(
    context: Context, capsys: pytest.CaptureFixture[str]
) -> None:
    learn_questions(context, LESSONS[:2])
    assert main(["learn", "--from-schema", "--count", "10"]) == 0
    assert "query graphs, which became 10 questions" in capsys.readouterr().out
    assert {lesson.source for lesson in all_lessons(context.graph)} == {"", DRAWN}
    assert main(["learn", "--list"]) == 0
    assert "(from the schema)" in capsys.readouterr().out
    assert main(["learn", "--remove", "from-schema"]) == 0
    assert [lesson.source for lesson in all_lessons(context.graph)] == [""]


def test_drawing_again_takes_the_place_of_what_was_drawn(context: Context) -> None:
    for seed in ("1", "2"):
        assert main(["learn", "--from-schema", "--count", "5", "--seed", seed]) == 0
        assert 0 < len(all_lessons(context.graph)) <= 5


def test_a_model_that_failed_takes_no_lesson_away(context: Context, tmp_path: Path) -> None:
    assert main(["learn", "--from-schema", "--count", "5", "--seed", "1"]) == 0
    before = all_lessons(context.graph)
    (tmp_path / "replies.jsonl").write_text('{"reply": "no JSON"}\n', encoding="utf-8")
    asked = ["learn", "--from-schema", "--count", "5", "--llm", f"scripted:{tmp_path / 'replies.jsonl'}"]
    assert main(asked) == 0
    assert all_lessons(context.graph) == before != []


def test_without_anything_drawn_nothing_of_it_is_left(context: Context) -> None:
    assert main(["learn", "--from-schema", "--count", "5", "--seed", "1"]) == 0
    assert all_lessons(context.graph)
    assert main(["learn", "--remove", "from-schema"]) == 0
    assert all_lessons(context.graph) == []
    assert read_learned(context.graph) is None


def test_what_somebody_asked_stays_such_when_it_is_drawn(context: Context) -> None:
    graph = QueryGraph((Variable("x0", ("Painter",)),), Value("x0"))
    asked = Lesson("which painters", graph, "Which painters?", graph, 2)
    for lesson in (asked, Lesson("which painters", graph, "Which painters?", graph, source=DRAWN)):
        store_lessons(context.graph, [lesson])
    assert all_lessons(context.graph) == [asked]


def test_of_one_text_what_somebody_asked_outranks_what_was_drawn(context: Context) -> None:
    learn_questions(context, LESSONS)
    context.memory.clear()
    wrong = QueryGraph(
        (Variable("x0", ("Painter",)), Variable("x1", ("Guild",))), Value("x0"), (Edge("x0", ("REL_B",), "x1"),)
    )
    drawn = [Question(str(place), LESSONS[place].text, (), query_graph=wrong) for place in range(6)]
    learn_questions(context, drawn, source=DRAWN)
    context.memory.clear()
    first, second = ask(context, "Which painters swore to the Saddle guild?").readings[:2]
    assert "rel a" in first.text
    assert "rel b" in second.text
