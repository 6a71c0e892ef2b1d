"""What the project promises of itself: packages, public names, documented queries and commands, no data set inside."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import requires
from pathlib import Path

import click
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import kgneo
from kgneo.cli.help import ALL
from kgneo.cli.main import COMMANDS, SUMMARIES
from kgneo.cli.main import kgneo as program

ROOT = Path(__file__).resolve().parent.parent
CONFIGURATION = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_every_package_on_disk_is_in_the_wheel() -> None:
    listed = set(CONFIGURATION["tool"]["setuptools"]["packages"])
    mapped = CONFIGURATION["tool"]["setuptools"]["package-dir"]
    on_disk = {".".join(file.parent.relative_to(ROOT).parts) for file in (ROOT / "kgneo").rglob("__init__.py")}
    assert listed == on_disk | set(mapped)


def test_public_names_are_what_init_exports() -> None:
    assert sorted(kgneo.__all__) == sorted(
        [
            "Answer",
            "AsyncGraph",
            "Context",
            "Graph",
            "KgneoError",
            "Options",
            "Said",
            "Triple",
            "Verification",
            "__version__",
            "ask",
            "open_context",
            "open_store",
            "teach",
            "verify",
        ]
    )
    assert all(getattr(kgneo, name) is not None for name in kgneo.__all__)


@pytest.mark.parametrize("file", sorted((ROOT / "cypher").glob("*.cypher")), ids=lambda file: file.name)
def test_every_query_begins_with_a_comment_that_explains_it(file: Path) -> None:
    assert re.match(r"// \S.{20,}", file.read_text(encoding="utf-8"))


def test_every_query_is_used() -> None:
    code = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "kgneo").rglob("*.py"))
    queries = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "cypher").glob("*.cypher"))
    for file in (ROOT / "cypher").glob("*.cypher"):
        assert f'"{file.stem}"' in code or f"/*{{{file.stem}}}*/" in queries, f"{file.name} is used nowhere"


METAQA_RELATIONS = (
    "directed_by|has_genre|has_imdb_rating|has_imdb_votes|has_tags|in_language|release_year|starred_actors|written_by"
)
METAQA_WORDS = "movies?|films?|actors?|directors?|screenwriters?|imdb|starring|starred|genres?"


@pytest.mark.parametrize("file", sorted((ROOT / "kgneo").rglob("*.py")), ids=lambda file: str(file.relative_to(ROOT)))
def test_no_code_of_kgneo_knows_metaqa(file: Path) -> None:
    text = "\n".join(
        line for line in file.read_text(encoding="utf-8").splitlines() if "kgneo eval" not in line and ">>>" not in line
    )
    without_documentation = re.sub(r'""".*?"""|#.*', "", text, flags=re.DOTALL)
    assert not re.search(rf"\b({METAQA_RELATIONS}|{METAQA_WORDS})\b", without_documentation, flags=re.IGNORECASE)


def commands() -> dict[str, click.Command]:
    """Every command and sub-command by its words."""
    found: dict[str, click.Command] = {}
    with click.Context(program) as context:
        for name in COMMANDS:
            command = program.get_command(context, name)
            assert command is not None
            found[name] = command
            if isinstance(command, click.Group):
                found |= {f"{name} {sub}": command.commands[sub] for sub in command.commands}
    return found


def test_every_command_shows_examples_in_its_help() -> None:
    for name, command in commands().items():
        assert "Examples:" in (command.help or ""), f"kgneo {name} --help shows no examples"


def test_the_help_of_all_commands_says_how_the_help_of_each_begins() -> None:
    found = {name: command.get_short_help_str(limit=200) for name, command in commands().items() if " " not in name}
    assert found == SUMMARIES


HEAVY = ("neo4j", "numpy", "rich", "prompt_toolkit", "kgneo.graph", "kgneo.encoders")
"""What takes longest to import, or brings that."""
MEASURED = {"eval", "tune"}
"""Commands of researchers, whose help may take a second."""


@pytest.mark.parametrize("name", ["", *(name for name in COMMANDS if name not in MEASURED)])
def test_help_imports_neither_driver_nor_encoder(name: str) -> None:
    program = (
        "import sys; from kgneo.cli.main import main; main(sys.argv[1:])\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    printed = _printed(program, *([name] if name else []), "--help")
    assert "Usage: kgneo" in printed
    assert printed.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("typed", "completed"),
    [("kgneo a", "plain,ask"), ("kgneo ask --st", "plain,--store"), ("kgneo ask --store de", "plain,demo")],
)
def test_completion_imports_neither_driver_nor_encoder(typed: str, completed: str, tmp_path: Path) -> None:
    (tmp_path / "stores" / "demo").mkdir(parents=True)
    (tmp_path / "stores" / "demo" / "store.json").write_text("{}")
    program = (
        "import sys; from kgneo.cli.main import kgneo\n"
        "try: kgneo(prog_name='kgneo')\n"
        f"finally: print([name for name in {HEAVY} if name in sys.modules])"
    )
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" ")), "_KGNEO_COMPLETE": "bash_complete"}
    printed = _printed(program, **words, KGNEO_DATA_DIR=str(tmp_path))
    assert completed in printed
    assert printed.splitlines()[-1] == "[]"


def _printed(program: str, *arguments: str, **environment: str) -> str:
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **environment})
    return done.stdout


def test_every_option_is_documented() -> None:
    for name, command in commands().items():
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, f"kgneo {name} {parameter.opts[0]} has no help"


def reference() -> str:
    """The command reference, from the commands' own help."""
    parts = ["# Commands\n\nMade from `--help` (`python -m tests.test_project`); a test compares both.\n"]
    for name, command in commands().items():
        context = click.Context(
            command,
            info_name=f"kgneo {name}",
            max_content_width=100,
            terminal_width=100,
            help_option_names=["-h", "--help"],
        )
        context.meta[ALL] = True
        parts.append(f"## kgneo {name}\n\n```text\n{command.get_help(context)}\n```\n")
    return "\n".join(parts)


def test_the_command_reference_is_up_to_date() -> None:
    # In a process of its own: click keeps the help option of a command as it was first shown.
    printed = subprocess.run(
        [sys.executable, "-m", "tests.test_project", "--print"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    assert (ROOT / "docs" / "commands.md").read_text(encoding="utf-8") == printed, (
        "docs/commands.md is out of date: python -m tests.test_project"
    )


if __name__ == "__main__":
    if "--print" in sys.argv:
        sys.stdout.write(reference())
    else:
        (ROOT / "docs" / "commands.md").write_text(reference(), encoding="utf-8")


def test_the_lock_holds_what_the_tests_ask_for() -> None:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pins = re.findall(r"^([\w.-]+)(?:\[[\w,-]+\])?==(\S+)", text, re.MULTILINE)
    locked = {canonicalize_name(name): version for name, version in pins}
    for item in map(Requirement, requires("kgneo") or []):
        if item.name != "kgneo" and (item.marker is None or item.marker.evaluate({"extra": "test"})):
            assert item.specifier.contains(locked[canonicalize_name(item.name)]), f"make lock: {item}"


def test_each_file_of_the_lock_is_known_by_its_digest() -> None:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pieces = re.split(r"^(?=[\w.-]+(?:\[[\w,-]+\])?==)", text, flags=re.MULTILINE)
    assert all("--hash=sha256:" in piece for piece in pieces if "==" in piece)


def test_the_lock_names_no_index() -> None:
    assert "://" not in (ROOT / "requirements.lock").read_text(encoding="utf-8")
