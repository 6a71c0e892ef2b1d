"""What the README shows works as it stands there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from kgneo.asking.question import DOUBT, ask
from kgneo.cli import demo
from kgneo.cli.main import COMMANDS, main
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.folders import cache_folder
from kgneo.graph import Graph
from tests.conftest import load_orders, on_one_version

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")))}
MEKONG = {"Cambodia", "China", "Laos", "Myanmar", "Thailand", "Vietnam"}
SEAS = "which seas do the rivers of [Germany] flow into?"
OF_THE_SAMPLE = {
    "which countries does the [Mekong] cross?": MEKONG,
    "which countries does the Mekong cross?": MEKONG,
    "what is the capital of [Ethiopia]?": {"Addis Ababa"},
    SEAS: {"North Sea", "Baltic Sea", "Black Sea"},
}
"""The questions about the sample that the pages show, with what is true."""
OF_OTHER_GRAPHS = {
    "who founded [Acme]?",
    "which products does [Sunrise Teas] supply?",
    "how much does [Smoked Salmon] cost?",
    "who lives there?",
    "Who works for Halden Robotics?",
    "who wrote [Dracula]?",
    "Who directed Alien?",
    "which customers in Spain ordered Rye Bread?",
    "when was the company founded that [Chiara Ricci] works for?",
    "How many inactive clients are there?",
    "films about time travel after 2000 by directors from Spain",
    "Which VIPs bought something in 2024?",
    "What is the revenue of Ada?",
    "which customers live in Kiel?",
    "who are our best clients?",
    "who is up north?",
    "what do customers from Kiel buy?",
    "Wie viele Kunden, die in Kiel wohnen, haben keine Bestellungen?",
    "¿Quién es el cliente más viejo?",
}
SHOWN = re.compile(r"""(?:kgneo ask|\bask\(graph,)[^"\n`]*"([^"\n]+)\"""")


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


@on_one_version
def test_the_section_about_ones_own_graph_works_as_written_and_leaves_no_trace(
    graph: Graph,
    encoder: OnnxEncoder,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    assert encoder.folder.is_dir()
    (tmp_path / "encoders").symlink_to(cache_folder() / "encoders")
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path))
    load_orders(graph)
    everything = (
        "MATCH (n) OPTIONAL MATCH (n)-[r]->() "
        "RETURN elementId(n) AS node, elementId(r) AS id, properties(n) AS own, properties(r) AS p ORDER BY node, id"
    )
    before = graph.read(everything)
    section = README.split("## Your own graph")[1].split("\n## ")[0]
    commands = re.findall(r"^kgneo ([^#\n]*)", section, flags=re.MULTILINE)
    assert len(commands) == 7
    printed = {}
    for command in commands:
        assert main(shlex.split(command)) == 0, command
        printed[command] = capsys.readouterr().out
    asked = [text for command, text in printed.items() if command.startswith("ask")]
    assert "Darjeeling" in asked[0].splitlines()[0]
    assert asked[1].splitlines()[0] == "21.9"
    assert "price, 21.9" in next(text for command, text in printed.items() if command.startswith("retrieve"))
    assert graph.read(everything) == before
    assert graph.read("SHOW INDEXES YIELD name WHERE name STARTS WITH 'kgneo'") == []


@on_one_version
def test_the_section_about_ones_own_triples_works_as_written(
    graph: Graph, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert graph
    monkeypatch.chdir(tmp_path)
    section = README.split("## Your triples")[1].split("\n## ")[0]
    file, lines = re.findall(r"`(\w+\.csv)`.*?```text\n(.*?)```", section, flags=re.DOTALL)[0]
    Path(file).write_text(lines, encoding="utf-8")
    for command in re.findall(r"^kgneo ([^#\n]*)", section, flags=re.MULTILINE):
        assert main(shlex.split(command)) == 0, command
    assert "Ada Lovelace" in capsys.readouterr().out


def test_the_readme_fits_on_150_lines() -> None:
    assert len(README.splitlines()) <= 150


def test_every_command_that_the_readme_names_is_there() -> None:
    code = "\n".join(re.findall(r"```sh\n(.*?)```", README, flags=re.DOTALL))
    named = set(re.findall(r"^(?:\.venv/bin/)?kgneo (\w+)", code, flags=re.MULTILINE))
    assert named
    assert named <= set(COMMANDS)


def test_every_page_that_the_readme_names_is_there() -> None:
    root = Path(__file__).resolve().parent.parent
    for page in set(re.findall(r"docs/[\w-]+\.(?:md|png)", README)):
        assert (root / page).is_file(), page


def test_of_every_question_that_a_page_shows_it_is_known_what_is_true() -> None:
    shown = {found[1] for text in PAGES.values() for found in SHOWN.finditer(text)} - {"…"}
    assert shown == OF_THE_SAMPLE.keys() | OF_OTHER_GRAPHS


@pytest.mark.parametrize(("question", "true"), OF_THE_SAMPLE.items())
def test_a_question_that_a_page_shows_is_answered_with_what_is_true(
    sample_context: Context, question: str, true: set[str]
) -> None:
    answer = ask(sample_context, question, strategy="paths")
    assert set(answer.answers) == true
    assert DOUBT not in answer.warnings


def test_the_answer_that_the_readme_prints_is_the_one_that_is_given(sample_context: Context) -> None:
    question, printed = re.findall(r'kgneo ask "([^"]+)" --store demo\n```\n\n```text\n(.*?)\n```', README)[0]
    assert ask(sample_context, question, strategy="paths").answer == printed


def test_what_the_demo_says_to_try_next_is_answered_right() -> None:
    assert demo.TRY_NEXT[0] == SEAS
