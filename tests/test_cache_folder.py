"""A cache folder that cannot be written costs a warning: everything works, and is made again each time."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from kgneo.cache_files import CacheWarning, going_on, in_cache, needed, places
from kgneo.cli.main import main
from kgneo.errors import KgneoError
from kgneo.folders import cache_folder
from kgneo.graph import Graph
from tests.conftest import on_one_version


@pytest.fixture
def blocked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder that holds the encoders and nothing of graphs, for which there is no place: a file is in it."""
    (tmp_path / "encoders").symlink_to(cache_folder() / "encoders")
    (tmp_path / "graphs").write_text("in the way")
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache folder on a disk without space."""
    disk, encoders = tmp_path / "disk", cache_folder() / "encoders"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("no disk may be mounted here")
    try:
        (disk / "encoders").symlink_to(encoders)
        (disk / "graphs").mkdir()
        with suppress(OSError), (disk / "rest").open("wb", buffering=0) as rest:
            while True:
                rest.write(b"x" * 4096)
        monkeypatch.setenv("KGNEO_CACHE_DIR", str(disk))
        yield disk
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def write(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "a"
    file.write_text("text")
    return file


@pytest.mark.parametrize("folder", ["blocked", "full"])
def test_what_cannot_be_kept_is_made_in_a_folder_of_this_process(folder: str, request: pytest.FixtureRequest) -> None:
    root: Path = request.getfixturevalue(folder)
    place = root / "graphs" / "one"
    with pytest.warns(CacheWarning) as told:
        made = in_cache(place, write)
    assert in_cache(place, write) == made  # with no further warning, which would be an error
    assert made == places(place)[0] / "a"
    assert made.read_text() == "text"
    assert root not in made.parents
    assert len(told) == 1
    assert str(root) in str(told[0].message)
    assert "KGNEO_CACHE_DIR" in str(told[0].message)


def test_a_cache_folder_that_can_be_written_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path))
    assert in_cache(tmp_path / "graphs", write) == tmp_path / "graphs" / "a"
    assert places(tmp_path / "graphs") == (tmp_path / "graphs",)


def test_what_is_not_needed_is_left_out(blocked: Path) -> None:
    with pytest.warns(CacheWarning), going_on():
        write(blocked / "graphs" / "one")


def test_what_has_no_other_place_is_one_error(blocked: Path) -> None:
    with pytest.raises(KgneoError, match="cannot be written") as caught, needed(blocked / "graphs" / "one"):
        write(blocked / "graphs" / "one")
    assert "KGNEO_CACHE_DIR" in caught.value.hint


def test_no_place_at_all_is_one_error(blocked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(blocked / "graphs"))
    with pytest.warns(CacheWarning), pytest.raises(KgneoError, match="Neither the cache folder"):
        in_cache(blocked / "graphs" / "one", write)


def test_what_is_wrong_with_making_it_is_not_taken_for_a_fault_of_the_folder(blocked: Path) -> None:
    def fails(_: Path) -> None:
        raise KeyError("a")

    with pytest.raises(KeyError):
        in_cache(blocked / "graphs" / "one", fails)


@on_one_version
@pytest.mark.parametrize("folder", ["blocked", "full"])
def test_a_graph_is_asked_with_one_line_of_warning(
    graph: Graph, folder: str, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    graph.write(
        "UNWIND range(1, 400) AS n CREATE (:Person {name: 'Someone ' + n, town: 'Town ' + n}) "
        "WITH count(*) AS made CREATE (:Person {name: 'Ada', town: 'Lyon'})-[:KNOWS]->"
        "(:Person {name: 'Bob', town: 'Graz'})"
    )
    root: Path = request.getfixturevalue(folder)
    assert main(["ask", "who does Ada know?", "--here", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["answers"] == ["Bob"]
    assert [str(root) in line for line in captured.err.splitlines() if line.startswith("Warning: ")] == [True]
    assert "KGNEO_CACHE_DIR" in captured.err
    left = {name for name in os.listdir(root) if not name.startswith("wordnet")}  # noqa: PTH208 - a link goes nowhere
    assert left == {"encoders", "graphs", *(["rest"] if folder == "full" else [])}


@on_one_version
def test_an_index_of_a_graph_that_is_only_read_needs_the_folder(
    graph: Graph, blocked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph.write("CREATE (:Person {name: 'Ada'})-[:KNOWS]->(:Person {name: 'Bob'})")
    assert main(["index", "--read-only"]) == 1
    error = capsys.readouterr().err
    assert f"Error: {blocked}" in error
    assert "Traceback" not in error


@on_one_version
def test_results_that_find_no_space_are_one_error_and_are_made_when_there_is_some(
    graph: Graph, full: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("KGNEO_CACHE_DIR")
    graph.write("CREATE (:Person {name: 'Ada'})-[:KNOWS]->(:Person {name: 'Bob'})")
    asked = full.parent / "asked.jsonl"
    asked.write_text('{"question": "Who does [Ada] know?", "answers": ["Bob"]}\n')
    command = ["eval", "jsonl", str(asked), "--out", str(full / "out"), "--no-figures"]
    assert main(command) == 1
    error = capsys.readouterr().err
    assert error.count("Error: ") == 1
    assert "No space left on device" in error
    assert "Traceback" not in error
    (full / "rest").unlink()
    assert main(command) == 0
    assert "1.000" in (full / "out" / "report.md").read_text()
