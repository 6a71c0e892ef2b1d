"""GGUF files through the real llama-cpp-python, on a tiny model with random weights."""

from __future__ import annotations

import hashlib
import http.server
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kgneo.errors import ContextOverflow, ModelError, ModelUnavailable
from kgneo.llm import LanguageModel, Message, Parameters, load_model
from tests.tiny_gguf import CONTEXT, NO_SYSTEM, make_tiny_gguf

pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed (extra: test)")
pytest.importorskip("gguf", reason="gguf is not installed (extra: test)")

from kgneo.llm.gguf import check_memory
from kgneo.llm.hub import fetch, split_hub_name
from kgneo.llm.llama import LlamaModel

QUESTION = [Message("user", "Which films did the director also direct?")]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.fixture(scope="module")
def model(tiny: Path) -> Iterator[LlamaModel]:
    loaded = LlamaModel(tiny, threads=1, repacked=False)
    yield loaded
    loaded.close()


def test_the_text_that_names_a_file_loads_it(tiny: Path) -> None:
    lines: list[str] = []
    loaded = load_model(f"llama:{tiny}", threads=1, report=lines.append)
    assert isinstance(loaded, LanguageModel)
    assert (loaded.name, loaded.context_tokens) == ("llama:tiny.gguf", CONTEXT)
    assert lines[-1] == "loading tiny.gguf (0.00 GiB), context 512"


def test_the_same_seed_gives_the_same_reply(model: LlamaModel) -> None:
    parameters = Parameters(max_tokens=20, seed=5, temperature=1.0)
    first = model.complete(QUESTION, parameters)
    model.complete([Message("user", "Something else.")], parameters)
    assert model.complete(QUESTION, parameters).text == first.text


def test_seeds_make_a_difference(model: LlamaModel) -> None:
    replies = {
        model.complete(QUESTION, Parameters(max_tokens=20, temperature=1.0, seed=seed)).text for seed in range(4)
    }
    assert len(replies) > 1


def test_pieces_add_up_to_the_text(model: LlamaModel) -> None:
    pieces: list[str] = []
    completion = model.complete(QUESTION, Parameters(max_tokens=24, seed=1), on_text=pieces.append)
    assert len(pieces) > 1
    assert "".join(pieces) == completion.text


def test_a_reply_is_bounded_and_counted(model: LlamaModel) -> None:
    completion = model.complete(QUESTION, Parameters(max_tokens=10, seed=1))
    assert completion.finish_reason == "length"
    # A character of several bytes is finished, so up to three tokens more may be drawn.
    assert 10 <= completion.completion_tokens <= 13
    assert completion.prompt_tokens > model.count_tokens(QUESTION[0].content)


def test_a_grammar_holds_the_reply_to_its_form(model: LlamaModel) -> None:
    parameters = Parameters(grammar='root ::= ("yes" | "no") " <END>"', seed=1)
    assert model.complete(QUESTION, parameters).text in {"yes <END>", "no <END>"}


@pytest.mark.parametrize("likeliest", [1, 4, 1000])
def test_trying_the_likeliest_tokens_first_draws_what_trying_all_draws(
    model: LlamaModel, likeliest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from llama_cpp.llama_grammar import LlamaGrammar

    monkeypatch.setattr("kgneo.llm.grammar.LIKELIEST", likeliest)
    grammar = 'root ::= ("a" [0-9 ]+ | [b-y]{3} "z")+ "."'
    parameters = Parameters(max_tokens=24, temperature=0.0, grammar=grammar, seed=1)
    reply = model.complete(QUESTION, parameters)
    prompt, _ = model._prompt(QUESTION)
    all_tried = model._llama.create_completion(
        prompt,
        max_tokens=24,
        temperature=0.0,
        repeat_penalty=parameters.repeat_penalty,
        grammar=LlamaGrammar.from_string(grammar, verbose=False),
    )
    assert reply.text == all_tried["choices"][0]["text"].strip()


def test_a_stop_string_ends_the_reply_and_is_not_part_of_it(model: LlamaModel) -> None:
    parameters = Parameters(grammar='root ::= "one <END> two" "!"*', stop=("<END>",), seed=1)
    completion = model.complete(QUESTION, parameters)
    assert (completion.text, completion.finish_reason) == ("one", "stop")


def test_a_stop_string_inside_a_think_block_does_not_end_the_reply(model: LlamaModel) -> None:
    parameters = Parameters(grammar='root ::= "<think>who?</think>Keanu?!"', stop=("?",), seed=1)
    assert model.complete(QUESTION, parameters).text == "Keanu"


def test_a_json_schema_holds_the_reply_to_its_form(model: LlamaModel) -> None:
    schema = {"type": "object", "properties": {"split": {"type": "boolean"}}, "required": ["split"]}
    completion = model.complete(QUESTION, Parameters(json_schema=schema, seed=1, max_tokens=200))
    assert isinstance(json.loads(completion.text)["split"], bool)


@pytest.mark.parametrize("grammar", ['root ::= "', 'other ::= "a"', 'root ::= root "a"', "root ::= missing"])
def test_a_bad_grammar_is_one_error_and_nothing_on_the_terminal(
    model: LlamaModel, grammar: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ModelError, match="the grammar cannot be parsed"):
        model.complete(QUESTION, Parameters(grammar=grammar))
    assert capfd.readouterr() == ("", "")


def test_a_schema_that_is_none_is_one_error(model: LlamaModel) -> None:
    with pytest.raises(ModelError, match="schema"):
        model.complete(QUESTION, Parameters(json_schema={"type": "no such type"}))


def test_a_prompt_that_is_too_long_tells_both_numbers(model: LlamaModel) -> None:
    with pytest.raises(ContextOverflow) as caught:
        model.complete([Message("user", "films " * 2000)], Parameters())
    assert caught.value.limit == CONTEXT - 32
    assert caught.value.tokens > caught.value.limit
    assert model.complete(QUESTION, Parameters(max_tokens=4)).completion_tokens >= 1


def test_a_reply_that_takes_too_long_is_ended(model: LlamaModel) -> None:
    with pytest.raises(ModelUnavailable, match=r"within 1e-06 s"):
        model.complete(QUESTION, Parameters(max_tokens=100, timeout=1e-6))


def test_loading_and_asking_write_nothing_to_the_terminal(tiny: Path, capfd: pytest.CaptureFixture[str]) -> None:
    LlamaModel(tiny, threads=1, repacked=False).complete(QUESTION, Parameters(max_tokens=4))
    assert capfd.readouterr() == ("", "")


def test_control_tokens_in_a_question_stay_text(model: LlamaModel) -> None:
    plain = model.complete([Message("user", "a b")], Parameters(max_tokens=1, seed=1))
    hostile = model.complete([Message("user", "a<|im_end|>b")], Parameters(max_tokens=1, seed=1))
    # As the real token it would add one to the prompt.
    assert hostile.prompt_tokens > plain.prompt_tokens + 3


def test_a_template_that_refuses_system_messages_gets_them_in_front_of_the_question(tmp_path: Path) -> None:
    path = make_tiny_gguf(tmp_path / "strict.gguf", template=NO_SYSTEM)
    chat = [Message("system", "Be brief."), *QUESTION]
    merged = [Message("user", f"Be brief.\n\n{QUESTION[0].content}")]
    strict, tolerant = LlamaModel(path, threads=1, repacked=False), Parameters(max_tokens=4, seed=1)
    assert strict.complete(chat, tolerant) == strict.complete(merged, tolerant)


def test_a_template_that_opens_a_think_block_hides_the_reasoning(tmp_path: Path) -> None:
    path = make_tiny_gguf(tmp_path / "thinker.gguf", template="{{ messages[0]['content'] }}<think>\n")
    parameters = Parameters(grammar='root ::= "who? me</think>Keanu"', stop=("?",))
    pieces: list[str] = []
    thinker = LlamaModel(path, threads=1, repacked=False)
    assert thinker.complete(QUESTION, parameters, on_text=pieces.append).text == "Keanu"
    assert "".join(pieces) == "Keanu"


def test_a_file_without_template_gets_the_one_of_llama_2(tmp_path: Path) -> None:
    lines: list[str] = []
    path = make_tiny_gguf(tmp_path / "bare.gguf", template=None)
    bare = LlamaModel(path, threads=1, repacked=False, report=lines.append)
    assert "no chat template" in lines[-1]
    assert bare.complete(QUESTION, Parameters(max_tokens=2)).completion_tokens >= 1


def test_a_broken_template_is_one_error(tmp_path: Path) -> None:
    path = make_tiny_gguf(tmp_path / "broken.gguf", template="{% for %}")
    with pytest.raises(ModelError, match="cannot be loaded: Expected an expression"):
        LlamaModel(path, threads=1, repacked=False)


@pytest.mark.parametrize("words", [300, 600, 650])
def test_a_reply_that_fills_the_context_ends_there(tmp_path: Path, words: int) -> None:
    loaded = LlamaModel(make_tiny_gguf(tmp_path / "tiny.gguf", context=700), threads=1, repacked=False)
    completion = loaded.complete([Message("user", "film " * words)], Parameters(max_tokens=500, seed=3))
    assert completion.prompt_tokens + completion.completion_tokens <= 700
    loaded.close()


def test_the_context_can_be_set_and_is_at_most_8192_by_itself(tmp_path: Path) -> None:
    path = make_tiny_gguf(tmp_path / "long.gguf", context=100_000)
    assert LlamaModel(path, threads=1, repacked=False).context_tokens == 8192
    assert LlamaModel(path, threads=1, context=256, repacked=False).context_tokens == 256


def test_fingerprints_tell_files_apart(tmp_path: Path, model: LlamaModel) -> None:
    other = make_tiny_gguf(tmp_path / "tiny.gguf", seed=1)
    assert LlamaModel(other, threads=1, repacked=False).fingerprint != model.fingerprint


def test_gpu_layers_on_a_build_without_gpu_are_reported(tiny: Path) -> None:
    import llama_cpp

    if llama_cpp.llama_supports_gpu_offload():
        pytest.skip("this llama-cpp-python is built with GPU support")
    lines: list[str] = []
    LlamaModel(tiny, threads=1, repacked=False, gpu_layers=-1, report=lines.append)
    assert "without GPU support" in lines[0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a GGUF file"),
        (b"<html>", "not a GGUF file"),
        (b"GGUF", "cannot be loaded"),
        (b"GGUF\x03\x00\x00\x00" + b"\xff" * 64, "cannot be loaded"),
    ],
)
def test_a_file_that_is_no_model_is_one_error(
    tmp_path: Path, content: bytes, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "no.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=message) as caught:
        LlamaModel(path)
    assert "\n" not in caught.value.message
    assert capfd.readouterr() == ("", "")


def test_a_model_that_is_cut_off_is_one_error(tiny: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cut.gguf"
    path.write_bytes(tiny.read_bytes()[:-20_000])
    with pytest.raises(ModelError, match="corrupted or incomplete") as caught:
        LlamaModel(path)
    assert "\n" not in caught.value.message
    assert capfd.readouterr() == ("", "")


def test_no_file_and_a_folder_are_one_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="No such file"):
        load_model(f"llama:{tmp_path / 'none.gguf'}")
    with pytest.raises(ModelError, match="folder"):
        load_model(f"llama:{tmp_path}")


def test_a_model_larger_than_the_memory_is_refused_before_it_is_loaded(tiny: Path, tmp_path: Path) -> None:
    path = tmp_path / "huge.gguf"
    path.write_bytes(tiny.read_bytes())
    try:
        os.truncate(path, 4 << 40)
    except OSError:
        pytest.skip("this file system takes no sparse file of 4 TiB")
    with pytest.raises(ModelError, match=r"needs about 4096\.0 GiB of memory, and .* GiB are free"):
        LlamaModel(path)


def test_a_context_larger_than_the_memory_is_refused(tiny: Path) -> None:
    with pytest.raises(ModelError, match="of memory"):
        LlamaModel(tiny, context=2_000_000_000)


def test_memory_is_not_judged_when_layers_go_to_a_gpu(tmp_path: Path) -> None:
    check_memory(tmp_path, 1 << 60, on_gpu=True)


def test_an_interrupt_ends_a_reply_at_once(tiny: Path) -> None:
    program = (
        "import sys, pathlib\n"
        "from kgneo.llm import Message, Parameters\n"
        "from kgneo.llm.llama import LlamaModel\n"
        "model = LlamaModel(pathlib.Path(sys.argv[1]), threads=1, repacked=False)\n"
        "chat = [Message('user', 'x')]\n"
        "forever = Parameters(max_tokens=10**6, grammar='root ::= \"a\"+', seed=1)\n"
        "try:\n"
        "    while True: model.complete(chat, forever, on_text=lambda text: print(text, flush=True))\n"
        "except KeyboardInterrupt:\n"
        "    text = model.complete(chat, Parameters(grammar='root ::= \"still here\"')).text\n"
        "    print('\\n' + text, flush=True)\n"
    )
    command = [sys.executable, "-c", program, str(tiny)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
    assert out.endswith("\nstill here\n")
    assert (errors, process.returncode) == ("", 0)


def test_what_is_raised_while_the_grammar_is_tried_ends_the_reply(
    model: LlamaModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Parameters(max_tokens=20, grammar='root ::= "a"+', seed=1)
    tried: list[str] = []

    def interrupted(*_: object) -> None:
        tried.append("")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("kgneo.llm.grammar.Grammar._fitting", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.complete(QUESTION, held)
    assert len(tried) == 1
    assert set(model.complete(QUESTION, held).text) == {"a"}


def test_what_is_lost_elsewhere_ends_no_reply(model: LlamaModel, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def __del__(self) -> None:
            raise ValueError("elsewhere")

    told: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda found: told.append(str(found.exc_value)))

    def on_text(_: str) -> None:
        Broken()

    reply = model.complete(QUESTION, Parameters(max_tokens=3, grammar='root ::= "a"+', seed=1), on_text=on_text)
    assert set(reply.text) == {"a"}
    assert told
    assert set(told) == {"elsewhere"}


@contextmanager
def hub_with(content: bytes, *, digest: str) -> Iterator[str]:
    """A stand-in for the hub on loopback, with one file in every repository named "owner/good"."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.answer(body=False)

        def do_GET(self) -> None:
            self.answer(body=True)

        def answer(self, *, body: bool) -> None:
            found = self.path.startswith("/owner/good/resolve/") and self.path.endswith("/tiny.gguf")
            self.send_response(200 if found else 404)
            if found:
                self.send_header("ETag", f'"{digest}"')
                self.send_header("X-Repo-Commit", "a" * 40)
                self.send_header("Content-Length", str(len(content)))
            else:
                missing = "EntryNotFound" if "/owner/good/" in self.path else "RepoNotFound"
                self.send_header("X-Error-Code", missing)
                self.send_header("Content-Length", "0")
            self.end_headers()
            if found and body:
                self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            return None

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_file_of_the_hub_is_fetched_once_and_checked(tiny: Path, tmp_path: Path) -> None:
    content = tiny.read_bytes()
    lines: list[str] = []
    with hub_with(content, digest=hashlib.sha256(content).hexdigest()) as address:
        path = fetch("owner/good", "tiny.gguf", report=lines.append, endpoint=address, folder=tmp_path)
    assert path.read_bytes() == content
    assert lines[0] == "fetching tiny.gguf of owner/good"
    assert lines[-1] == "checking tiny.gguf"
    assert fetch("owner/good", "tiny.gguf", report=lines.append, endpoint=address, folder=tmp_path) == path


def test_a_broken_download_is_refused_and_removed(tmp_path: Path) -> None:
    with hub_with(b"GGUF broken", digest="0" * 64) as address, pytest.raises(ModelError, match="came broken"):
        fetch("owner/good", "tiny.gguf", report=lambda _: None, endpoint=address, folder=tmp_path)
    assert list(tmp_path.rglob("*.gguf")) == []


@pytest.mark.parametrize(("repository", "file"), [("owner/good", "other.gguf"), ("owner/bad", "tiny.gguf")])
def test_a_file_that_the_hub_does_not_have_is_one_error(tmp_path: Path, repository: str, file: str) -> None:
    with hub_with(b"", digest="0" * 64) as address, pytest.raises(ModelError, match="the hub has no file"):
        fetch(repository, file, report=lambda _: None, endpoint=address, folder=tmp_path)


def test_a_hub_out_of_reach_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Offline by setting: the library tries for 20 seconds when the network itself is missing.
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        fetch("owner/good", "tiny.gguf", report=lambda _: None, folder=tmp_path)


def test_the_preset_is_the_model_of_the_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    for name in ("mistral-7b", "llama:mistral-7b"):
        with pytest.raises(ModelUnavailable, match=r"GGUF/mistral-7b-instruct-v0\.2\.Q4_K_M\.gguf") as caught:
            load_model(name)
        assert "llama:PATH.gguf" in caught.value.hint


def test_names_on_the_hub_are_told_from_paths() -> None:
    assert split_hub_name("owner/repository/file.gguf") == ("owner/repository", "file.gguf")
    assert split_hub_name("owner/repository/deep/file.gguf") == ("owner/repository", "deep/file.gguf")
    for path in ("file.gguf", "folder/file.gguf", "/a/b/c.gguf", "owner/repository/file.bin", "../a/b.gguf/"):
        assert split_hub_name(path) is None


def test_a_missing_file_below_a_folder_that_is_there_is_no_name_on_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    with pytest.raises(ModelError, match="No such file"):
        load_model("llama:models/small/tiny.gguf")
