"""The notebooks of the documentation run as they are, from an empty folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "notebooks"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs a notebook in a folder of its own and gives what each of its cells of code has printed or shown."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    for name in ("NEO4J_URI", "KGNEO_STORE"):
        monkeypatch.delenv(name, raising=False)

    def run(name: str) -> list[str]:
        notebook: Any = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)  # type: ignore[no-untyped-call]
        NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
        return [_shown(cell) for cell in notebook.cells if cell.cell_type == "code"]

    return run


def _shown(cell: Any) -> str:
    """What a cell has printed, and what it shows as HTML or text."""
    parts = [item.get("text") or item["data"].get("text/html") or item["data"]["text/plain"] for item in cell.outputs]
    return "".join(parts)


def test_triples_are_loaded_asked_and_claims_held_against_them(run: Any) -> None:
    asked, evidence, missing, claims = run("triples")[2:6]
    assert "<svg" in asked
    assert "Halley" in asked
    assert "Cassini – visited → Saturn" in evidence
    assert missing == "not_in_graph | The graph has no “Pluto”.\n"
    assert "Cassini visited Saturn. → supported" in claims
    assert "Giotto visited Saturn. → refuted" in claims


def test_words_of_the_file_of_terms_are_understood(run: Any) -> None:
    shown = run("terms")
    assert "How many orders were placed in 2024? → 2" in shown[4]
    assert "Who are the VIPs? → ('Ada Lund',)" in shown[7]
    assert "How many active clients are there? → ('2',)" in shown[7]


def test_questions_with_known_answers_are_measured(run: Any) -> None:
    figures, wrong, said, steps = run("measure")[4:8]
    assert f"auto | exact {1 - wrong.count('→') / 4} |" in figures
    assert said.startswith("2 (")
    assert steps.startswith("what Giotto was launched by → what they located in → Paris")
