"""What the README shows works as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kgneo.cli.main import COMMANDS
from kgneo.graph import Graph

README = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")


def test_the_python_example_runs(
    sample_graph: Graph, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    example = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)[0]
    assert len([line for line in example.splitlines() if line.strip()]) <= 5
    assert sample_graph
    example = example.replace("bolt://localhost:7687", os.environ["NEO4J_URI"])
    example = example.replace('password="…"', 'password=__import__("os").environ["NEO4J_PASSWORD"]')
    monkeypatch.chdir(Path(__file__).parent)
    exec(compile(example, "README.md", "exec"), {})  # noqa: S102
    printed = capsys.readouterr().out
    assert "Thailand" in printed
    assert "(Mekong, flows through, Thailand)" in printed


def test_every_command_that_the_readme_names_is_there() -> None:
    code = "\n".join(re.findall(r"```sh\n(.*?)```", README, flags=re.DOTALL))
    named = set(re.findall(r"^(?:\.venv/bin/)?kgneo (\w+)", code, flags=re.MULTILINE))
    assert named
    assert named <= set(COMMANDS)


def test_every_page_that_the_readme_names_is_there() -> None:
    root = Path(__file__).resolve().parent.parent
    for page in set(re.findall(r"docs/[\w-]+\.md", README)):
        assert (root / page).is_file(), page
