"""Replies kept on disk."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from kgneo.errors import ModelError
from kgneo.llm import Completion, LanguageModel, Message, Parameters, ScriptedModel
from kgneo.llm.cache import CachedModel, ReplyCache, reply_key

CHAT = [Message("user", "Who directed Alien?")]
PLAIN = Parameters(seed=1)


def counting() -> ScriptedModel:
    calls = iter(range(1, 1000))
    return ScriptedModel(lambda *_: f"reply {next(calls)}")


def test_a_repeated_call_is_answered_from_the_file(tmp_path: Path) -> None:
    behind = counting()
    model = CachedModel(behind, ReplyCache(tmp_path / "replies.db"))
    first = model.complete(CHAT, PLAIN)
    pieces: list[str] = []
    again = model.complete(CHAT, PLAIN, on_text=pieces.append)
    assert again == replace(first, cached=True, evaluated_tokens=0)
    assert pieces == ["reply 1"]
    assert len(behind.calls) == 1


def test_replies_outlive_the_process(tmp_path: Path) -> None:
    CachedModel(counting(), ReplyCache(tmp_path / "replies.db")).complete(CHAT, PLAIN)
    silent = counting()
    later = CachedModel(silent, ReplyCache(tmp_path / "replies.db"))
    assert later.complete(CHAT, PLAIN).text == "reply 1"
    assert silent.calls == []


@pytest.mark.parametrize(
    "other",
    [
        replace(PLAIN, seed=2),
        replace(PLAIN, temperature=0.0),
        replace(PLAIN, stop=("?",)),
        replace(PLAIN, max_tokens=1),
        replace(PLAIN, json_schema={"type": "object"}),
        replace(PLAIN, grammar='root ::= "a"'),
    ],
)
def test_other_parameters_are_another_call(tmp_path: Path, other: Parameters) -> None:
    model = CachedModel(counting(), ReplyCache(tmp_path / "replies.db"))
    model.complete(CHAT, PLAIN)
    assert model.complete(CHAT, other).text == "reply 2"


def test_timeout_and_stage_do_not_change_the_key() -> None:
    other = replace(PLAIN, timeout=5.0, stage="answer")
    assert reply_key("model", CHAT, other) == reply_key("model", CHAT, PLAIN)


def test_another_chat_or_model_is_another_call() -> None:
    keys = {
        reply_key("model", CHAT, PLAIN),
        reply_key("model 2", CHAT, PLAIN),
        reply_key("model", [Message("system", CHAT[0].content)], PLAIN),
        reply_key("model", [*CHAT, *CHAT], PLAIN),
        reply_key("model", [], PLAIN),
    }
    assert len(keys) == 5


def test_a_failed_call_is_not_kept(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "replies.db")
    model = CachedModel(ScriptedModel([]), cache)
    with pytest.raises(ModelError):
        model.complete(CHAT, PLAIN)
    assert len(cache) == 0


def test_the_wrapper_is_a_model_with_the_properties_of_the_one_behind(tmp_path: Path) -> None:
    behind = ScriptedModel([], name="named", context_tokens=99)
    model = CachedModel(behind, ReplyCache(tmp_path / "replies.db"))
    assert isinstance(model, LanguageModel)
    assert (model.name, model.context_tokens, model.count_tokens("a b")) == ("named", 99, 2)
    assert (model.supports_grammar, model.supports_json_schema) == (False, False)
    assert model.fingerprint == behind.fingerprint


def test_a_changed_script_has_another_fingerprint() -> None:
    assert ScriptedModel(["a"]).fingerprint != ScriptedModel(["b"]).fingerprint


def test_a_file_that_is_no_cache_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("my notes " * 100)
    with pytest.raises(ModelError, match=r"notes\.txt cannot be used as a reply cache"):
        ReplyCache(path)
    assert path.read_text() == "my notes " * 100


def test_a_database_of_something_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE reply (x)")
    connection.commit()
    connection.close()
    with pytest.raises(ModelError, match="is not a reply cache"):
        ReplyCache(path)


def test_a_damaged_cache_is_named(tmp_path: Path) -> None:
    path = tmp_path / "replies.db"
    cache = ReplyCache(path)
    for number in range(200):
        cache.put(f"{number:064}", "model", Completion("text " * 50, 1, 1, "stop"))
    content = bytearray(path.read_bytes())
    content[4096:] = b"\x5a" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(ModelError, match="cannot be used as a reply cache"):
        ReplyCache(path).get("0" * 64)


def test_a_folder_or_a_place_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="unable to open"):
        ReplyCache(tmp_path)
    with pytest.raises(ModelError, match="cannot be used"):
        ReplyCache(tmp_path / "none" / "replies.db")


def test_threads_share_a_cache(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "replies.db")
    model = CachedModel(counting(), cache)
    chats = [[Message("user", str(number % 10))] for number in range(60)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda chat: model.complete(chat, PLAIN), chats))
    assert len(cache) == 10


def test_processes_share_a_cache(tmp_path: Path) -> None:
    path = tmp_path / "replies.db"
    program = (
        "import sys, pathlib\n"
        "from kgneo.llm.cache import ReplyCache\n"
        "from kgneo.llm import Completion\n"
        "cache = ReplyCache(pathlib.Path(sys.argv[1]))\n"
        "for number in range(40):\n"
        "    cache.put(str(number), 'model', Completion(sys.argv[2], 1, 1, 'stop'))\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, str(path), str(who)]) for who in range(3)]
    assert [process.wait(timeout=60) for process in running] == [0, 0, 0]
    assert len(ReplyCache(path)) == 40
