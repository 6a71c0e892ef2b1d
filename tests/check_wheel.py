"""Run by `make wheel` in an environment that holds only the built wheel: its files are there and its commands start."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path

import kgneo
from kgneo.graph.cypher import query
from kgneo.loader import loaders
from kgneo.sample import questions_path, triples_path
from kgneo.strategies import strategy_names

checkout = Path(__file__).resolve().parent.parent
assert checkout not in Path(kgneo.__file__).resolve().parents or "wheel-environment" in kgneo.__file__, kgneo.__file__
for folder, package, pattern in (
    ("cypher", "kgneo.cypher", "*.cypher"),
    ("kgneo/prompts", "kgneo.prompts", "*.txt"),
    ("kgneo/serve/page", "kgneo.serve.page", "*"),
    ("kgneo/tuning", "kgneo.tuning", "*.toml"),
):
    for file in (checkout / folder).glob(pattern):
        assert files(package).joinpath(file.name).is_file(), f"{file.name} is not in the wheel"
assert query("index_scan").startswith("//")
assert {loader.name for loader in loaders()} >= {"metaqa", "delimited", "rdf"}
assert entry_points(group="kgneo.datasets")
assert {"paths", "kg-rag", "kaping", "llm", "llm-qd", "navigator", "ir-llm", "refkg", "mindful"} <= set(
    strategy_names()
)
assert triples_path().is_file()
assert questions_path().is_file()
program = Path(sys.executable).with_name("kgneo")
for arguments in (["--version"], ["--help"], ["ask", "--help"], ["server", "status"], ["completion", "bash"]):
    subprocess.run([program, *arguments], check=True, stdout=subprocess.DEVNULL)
print(f"The wheel of kgneo {kgneo.__version__} works in an environment of its own.")
