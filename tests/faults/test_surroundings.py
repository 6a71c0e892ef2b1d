"""A machine that gives less than others: few files, little memory, no folders to write to, a clock that is wrong, no
output; and nothing is sent to anybody."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from kgneo.encoders.onnx import load_exported
from kgneo.graph import Graph

QUESTION = "what is the capital of [Ethiopia]?"
ASK = [sys.executable, "-m", "kgneo", "ask", "--here", "--quiet", QUESTION]
Limit = Callable[[], None]


def asked(
    environment: Mapping[str, str] | None = None, limit: Limit | None = None, command: list[str] = ASK
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120, preexec_fn=limit,
        env={**os.environ, **(environment or {})},
    )  # fmt: skip


def bounded(what: int, number: int) -> Limit:
    return lambda: resource.setrlimit(what, (number, number))


@pytest.mark.usefixtures("sample_graph")
@pytest.mark.parametrize(
    "limit",
    [bounded(resource.RLIMIT_NOFILE, 64), bounded(resource.RLIMIT_AS, 1_000_000_000)],
    ids=["64 file descriptors", "1 GB of memory"],
)
def test_a_question_is_answered_with_little(limit: Limit) -> None:
    found = asked(limit=limit)
    assert (found.returncode, found.stdout) == (0, "Addis Ababa\n"), found.stderr


@pytest.mark.usefixtures("sample_graph")
@pytest.mark.parametrize(
    "environment",
    [{"TMPDIR": "/nowhere"}, {"HOME": "/proc", "KGNEO_CACHE_DIR": "/proc/kgneo"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}],
    ids=["no temporary folder", "a home that cannot be written", "a locale of ASCII"],
)
def test_a_question_is_answered_without(environment: dict[str, str]) -> None:
    found = asked(environment)
    assert (found.returncode, found.stdout) == (0, "Addis Ababa\n"), found.stderr
    assert "Traceback" not in found.stderr


@pytest.mark.usefixtures("sample_graph")
def test_too_little_memory_is_said_and_nothing_is_told_to_be_removed() -> None:
    found = asked(limit=bounded(resource.RLIMIT_AS, 700_000_000))
    if found.returncode:
        assert "memory" in found.stderr
        assert "Traceback" not in found.stderr
        assert "Remove" not in found.stderr


@pytest.mark.usefixtures("sample_graph")
@pytest.mark.parametrize("years", ["-3y", "+3y"])
def test_a_question_is_answered_by_a_clock_that_is_years_wrong(years: str) -> None:
    if shutil.which("faketime") is None:
        pytest.skip("faketime is not installed")
    found = asked(command=["faketime", "-f", years, *ASK])
    assert (found.returncode, found.stdout) == (0, "Addis Ababa\n"), found.stderr


@pytest.mark.usefixtures("sample_graph")
@pytest.mark.parametrize("closed", ["1", "2"])
def test_a_stream_that_was_closed_before_is_no_fault(closed: str) -> None:
    found = asked(command=["sh", "-c", f'"$@" {closed}>&-', "sh", *ASK])
    assert (found.returncode, "Traceback" in found.stderr) == (0, False), found.stderr


def test_the_encoder_writes_nothing_into_the_home_of_the_user(tmp_path: Path) -> None:
    """Its runtime would keep an id of the machine there, and send what it sees."""
    folder = load_exported("minilm").folder
    code = "from kgneo.encoders.onnx import OnnxEncoder; from pathlib import Path\n"
    code += f"OnnxEncoder('minilm', Path({str(folder)!r})).encode(['a text'])"
    environment = {name: text for name, text in os.environ.items() if not name.startswith(("XDG_", "ORT_"))}
    environment["HOME"] = str(tmp_path)
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, timeout=120)
    assert list(tmp_path.rglob("*")) == []


def test_the_driver_tells_the_server_nothing_of_how_it_is_used(sample_graph: Graph) -> None:
    assert sample_graph._driver._pool.pool_config.telemetry_disabled
