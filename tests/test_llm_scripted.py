"""Scripted replies and the text that chooses a model."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgneo.errors import DataError, KgneoError, ModelError, UsageError
from kgneo.llm import LanguageModel, Message, Parameters, ScriptedModel, load_model
from kgneo.llm.protocol import merge_system
from kgneo.llm.scripted import read_script

PLAIN = Parameters()


def ask(model: LanguageModel, question: str, parameters: Parameters = PLAIN) -> str:
    return model.complete([Message("user", question)], parameters).text


def script(folder: Path, *records: object) -> str:
    path = folder / "replies.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return f"scripted:{path}"


def test_replies_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    model = load_model(script(tmp_path, {"reply": "one"}, {"reply": "two"}))
    assert [ask(model, "a"), ask(model, "b")] == ["one", "two"]


def test_a_match_answers_every_prompt_that_it_is_found_in(tmp_path: Path) -> None:
    model = load_model(script(tmp_path, {"match": r"who directed (?P<film>.+)\?", "reply": r"\g<film>: \1!"}))
    assert [ask(model, "So who directed Alien?"), ask(model, "WHO DIRECTED Heat?")] == [
        "Alien: Alien!",
        "Heat: Heat!",
    ]


def test_a_match_looks_at_the_last_user_message(tmp_path: Path) -> None:
    model = load_model(script(tmp_path, {"match": "first", "reply": "1"}, {"match": "last", "reply": "2"}))
    messages = [Message("user", "first"), Message("assistant", "first"), Message("user", "last")]
    assert model.complete(messages, PLAIN).text == "2"


def test_a_record_of_a_stage_waits_for_that_stage(tmp_path: Path) -> None:
    model = load_model(script(tmp_path, {"stage": "decompose", "reply": "split"}, {"reply": "any"}))
    assert ask(model, "x", Parameters(stage="answer")) == "any"
    assert ask(model, "x", Parameters(stage="decompose")) == "split"


def test_a_reply_that_is_no_text_is_given_as_json(tmp_path: Path) -> None:
    model = load_model(script(tmp_path, {"reply": {"sub_questions": ["Wer?", "Où?"]}}))
    assert json.loads(ask(model, "x")) == {"sub_questions": ["Wer?", "Où?"]}


def test_an_exhausted_script_shows_the_head_of_the_prompt(tmp_path: Path) -> None:
    model = load_model(script(tmp_path, {"reply": "one"}))
    ask(model, "a")
    with pytest.raises(ModelError, match=r"call 2; the prompt of stage 'answer' begins: 'Which film x+…'"):
        ask(model, "Which film\n" + "x" * 1000, Parameters(stage="answer"))


def test_a_record_can_be_an_error(tmp_path: Path) -> None:
    model = load_model(script(tmp_path, {"error": "overloaded"}))
    with pytest.raises(ModelError, match="overloaded"):
        ask(model, "x")


def test_replies_are_cleaned_and_cut_at_the_stop_string() -> None:
    model = ScriptedModel(["<think>hm</think> yes <END> no</s>"])
    assert ask(model, "x", Parameters(stop=("<END>",))) == "yes"


def test_a_function_of_messages_and_parameters_makes_a_model() -> None:
    model = ScriptedModel(lambda messages, parameters: f"{messages[-1].content} {parameters.seed}")
    assert ask(model, "hello", Parameters(seed=7)) == "hello 7"


def test_the_model_keeps_the_calls_it_got() -> None:
    model = ScriptedModel(["yes"])
    ask(model, "hello")
    assert model.calls == [((Message("user", "hello"),), PLAIN)]


def test_text_is_handed_to_the_callback() -> None:
    pieces: list[str] = []
    ScriptedModel(["yes"]).complete([Message("user", "x")], PLAIN, on_text=pieces.append)
    assert pieces == ["yes"]


def test_every_backend_follows_the_protocol() -> None:
    assert isinstance(ScriptedModel([]), LanguageModel)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "no JSON"),
        ("[1]", "expected a JSON object, found list"),
        ('{"answer": "x"}', "unknown field 'answer'"),
        ('{"match": "x"}', 'exactly one of "reply" and "error"'),
        ('{"match": "(", "reply": "x"}', "no regular expression"),
        ('{"match": 3, "reply": "x"}', "'match' is 3, expected text"),
        (r'{"match": "(a)", "reply": "\\2"}', "group 2"),
        (r'{"match": "(a)", "reply": "\\g<b>"}', "group b"),
        ("[" * 5000, "no JSON"),
    ],
)
def test_a_bad_line_is_named_with_its_number(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text('# a comment\n\n{"reply": "x"}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=message) as caught:
        read_script(path)
    assert caught.value.line == 4


def test_a_script_that_is_not_there_or_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "empty").write_text("# nothing\n")
    for name, message in (("none", "No such file"), ("binary", "not UTF-8"), ("empty", "no replies")):
        with pytest.raises(DataError, match=message):
            load_model(f"scripted:{tmp_path / name}")


def test_the_script_in_the_documentation_works(tmp_path: Path) -> None:
    page = Path(__file__).parent.parent / "docs" / "language-models.md"
    path = tmp_path / "replies.jsonl"
    path.write_text(page.read_text(encoding="utf-8").split("```jsonl\n")[1].split("```")[0], encoding="utf-8")
    model = load_model(f"scripted:{path}")
    decompose = Parameters(stage="decompose")
    assert ask(model, "Which films were directed by X?", decompose) == "1. Who is X?"
    assert ask(model, "Who wrote Alien?") == "Alien was written by somebody."
    assert ask(model, "Hello?").startswith("The first prompt")


@given(st.text(max_size=200))
def test_any_text_is_a_script_or_a_named_error(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("script") / "replies.jsonl"
    path.write_text(text, encoding="utf-8", errors="replace")
    problem = ""
    try:
        records = read_script(path)
    except DataError as error:
        records, problem = [], error.message
    assert records or str(path) in problem


@pytest.mark.parametrize("spec", ["", "mistral", "gpt:4", "llama:", "openai: ", "scripted:"])
def test_a_text_that_names_no_model_is_refused_with_the_kinds(spec: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_model(spec)
    assert "openai:MODEL" in caught.value.hint


def test_a_library_that_is_not_installed_is_one_error_that_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF")
    with pytest.raises(ModelError, match="cannot be imported") as caught:
        load_model(f"llama:{path}")
    assert "[llama]" in caught.value.hint


def test_importing_the_package_loads_no_backend() -> None:
    program = "import sys, kgneo.llm; print({'llama_cpp', 'openai', 'huggingface_hub'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_an_address_for_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="address"):
        load_model(script(tmp_path, {"reply": "x"}), url="http://127.0.0.1:1/v1")


@given(st.text(max_size=40).filter(lambda text: not text.startswith(("llama:", "openai:"))))
def test_any_text_gives_a_model_or_a_named_error(spec: str) -> None:
    with pytest.raises(KgneoError):
        load_model(spec) if spec != "mistral-7b" else load_model("")


@pytest.mark.parametrize(
    "bad",
    [
        {"max_tokens": 0},
        {"timeout": 0.0},
        {"stop": ("",)},
        {"grammar": 'root ::= "a"', "json_schema": {}},
    ],
)
def test_parameters_that_make_no_sense_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(bad))):
        Parameters(**bad)  # type: ignore[arg-type]


def test_system_text_moves_to_the_next_user_message() -> None:
    chat = [Message("system", "Be brief."), Message("user", "Who?"), Message("assistant", "X")]
    assert merge_system(chat) == [Message("user", "Be brief.\n\nWho?"), Message("assistant", "X")]
    assert merge_system([Message("system", "Be brief.")]) == [Message("user", "Be brief.")]
