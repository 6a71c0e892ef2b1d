"""Strategies are found by name, whoever registered them, and say what they need."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from kgneo import strategies
from kgneo.cli.main import kgneo as program
from kgneo.cli.main import main
from kgneo.errors import UsageError
from kgneo.evaluation.evaluate import evaluate
from kgneo.evaluation.experiment import Plan
from kgneo.evaluation.failures import Checks, classify
from kgneo.evaluation.run import Configuration, ask_record
from kgneo.strategies import described, find_strategy, read_options, strategy_names
from kgneo.strategies.kg_rag import KgRagOptions
from tests.evaluation_stand_in import Oracle, backend, dataset, question, right_answer

OWN = ("auto", "cypher", "ir-llm", "kaping", "kg-rag", "llm", "llm-qd", "mindful", "navigator", "paths", "refkg")

ORACLE = """
from dataclasses import dataclass
from typing import ClassVar
from kgneo.model import Answer
from kgneo.strategies import Needs

@dataclass(frozen=True)
class OracleOptions:
    voice: str = "low"

@dataclass(frozen=True)
class Oracle:
    options: OracleOptions = OracleOptions()
    name: ClassVar[str] = "oracle"
    needs: ClassVar[Needs] = Needs(graph=False)
    splits: ClassVar[bool] = False
    nearest: ClassVar[bool] = False
    furthest: ClassVar[int | None] = None

    def answer(self, question, context, *, entities=()):
        return Answer(question, self.name, "Perhaps.")
"""


@pytest.fixture
def oracle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A strategy that another package registers."""
    (tmp_path / "delphi.py").write_text(ORACLE)
    about = tmp_path / "delphi-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: delphi\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[kgneo.strategies]\noracle = delphi:Oracle\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    strategies._registered.cache_clear()
    yield
    strategies._registered.cache_clear()


def wheel_of(code: str, folder: Path) -> Path:
    """A package of one module as a wheel, as any build tool writes it."""
    file = folder / "delphi-1.0-py3-none-any.whl"
    about = "delphi-1.0.dist-info"
    files = {
        "delphi.py": code,
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: delphi\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/entry_points.txt": "[kgneo.strategies]\noracle = delphi:Oracle\n",
    }
    files[f"{about}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{about}/RECORD"])
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return file


def test_an_installed_package_of_somebody_else_is_found_through_its_entry_point(tmp_path: Path) -> None:
    pytest.importorskip("pip", reason="pip is not installed")
    code = ORACLE.replace("class Oracle:\n", 'class Oracle:\n    """Says perhaps."""\n\n')
    install = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", str(tmp_path / "site")]
    subprocess.run([sys.executable, *install, str(wheel_of(code, tmp_path))], check=True)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    asked = (
        "from kgneo.strategies import find_strategy as f; print(f('oracle', voice='loud').answer('why?', None).answer)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", f"{asked}; from kgneo.cli.main import main; main(['ask', '--help-all'])"],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    ).stdout
    assert shown.startswith("Perhaps.")
    assert re.search(r"oracle +Says perhaps\.", shown)


def test_the_strategies_of_the_project_are_found_under_their_names() -> None:
    assert set(OWN) <= set(strategy_names())
    assert [find_strategy(name).name for name in OWN] == list(OWN)


def test_a_name_that_nobody_registered_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError) as caught:
        find_strategy("kg-rags")
    assert "There is no strategy 'kg-rags'" in caught.value.message
    assert all(name in caught.value.hint for name in OWN)


@pytest.mark.usefixtures("oracle")
def test_a_package_adds_a_strategy(capsys: pytest.CaptureFixture[str]) -> None:
    assert "oracle" in strategy_names()
    assert find_strategy("oracle").answer("why?", None).answer == "Perhaps."  # type: ignore[arg-type]
    assert main(["ask", "--strategy", "oracles", "why?"]) == 2
    assert "oracle, paths" in capsys.readouterr().err


@pytest.mark.usefixtures("oracle")
@pytest.mark.parametrize("command", ["ask", "eval"])
def test_the_shell_completes_what_is_found(command: str) -> None:
    completed = ShellComplete(program, {}, "kgneo", "_KGNEO_COMPLETE")
    found = [item.value for item in completed.get_completions([command, "--strategy"], "")]
    assert set(found) >= {*OWN, "oracle"}
    assert [item.value for item in completed.get_completions([command, "--strategy"], "orac")] == ["oracle"]


@pytest.mark.usefixtures("oracle")
def test_a_strategy_takes_its_own_options_and_leaves_the_others() -> None:
    assert find_strategy("oracle", voice="loud", select="top-k").options.voice == "loud"
    assert find_strategy("kg-rag", voice="loud", select="top-k", follow=None).options == KgRagOptions("top-k")
    assert find_strategy("paths", select="top-k").options == find_strategy("paths").options


@pytest.mark.parametrize(
    ("name", "select", "nearest"),
    [("kg-rag", None, False), ("kg-rag", "top-k", True), ("kaping", None, True), ("kaping", "relations", False)],
)
def test_choosing_the_nearest_triples_needs_embeddings(name: str, select: str | None, nearest: bool) -> None:
    strategy = find_strategy(name, select=select)
    assert strategy.nearest is nearest
    assert (strategy.needs.model, strategy.needs.embeddings) == (True, nearest)


@pytest.mark.usefixtures("oracle")
def test_evaluation_asks_a_strategy_of_another_package_what_it_is(tmp_path: Path) -> None:
    outcome = evaluate(Plan("towns", strategies=("oracle",)), dataset(4), backend(), out=tmp_path / "run")
    assert outcome.splitting == frozenset()
    asked, where = question(4), Configuration("oracle", 3, 10, 0, 1)
    wordy = ask_record(asked, where, Oracle({asked.id: right_answer(asked)}), in_words=True)
    wordy["entities"] = []
    assert classify(asked, find_strategy("oracle"), wordy, Checks()).kind != "not-linked"
    assert classify(asked, find_strategy("paths"), wordy, Checks()).kind == "not-linked"


@pytest.mark.parametrize("name", OWN)
def test_every_strategy_says_in_one_line_what_it_is(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "--help-all"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert described()[name] in shown


def test_a_strategys_own_options_are_read_by_the_type_of_their_defaults() -> None:
    assert read_options(["navigator"], ["variants=0", "facts=list"]) == {"variants": 0, "facts": "list"}
    assert read_options(["paths", "refkg"], ["rewrite=no", "threshold=0.2"]) == {"rewrite": False, "threshold": 0.2}


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("variant=0", "variants=2"),
        ("variants", "variants=2"),
        ("variants=many", "'many'"),
        ("facts=prose", "joined-sentences"),
    ],
)
def test_an_option_that_a_strategy_does_not_have_is_refused(setting: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_options(["navigator"], [setting])
    assert said in caught.value.message + caught.value.hint
