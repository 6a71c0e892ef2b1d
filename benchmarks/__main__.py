"""`python -m benchmarks`: one table, each line a ratio against a reference that runs beside it; `--all`: everything.

    KGNEO_METAQA=… python -m benchmarks [--quick] [--only MODULE] [--json FILE] [--all]

`--quick` takes fewer rounds and topics. The graph of MetaQA is loaded and indexed the first time, which takes ten
minutes, and kept in the store benchmark-metaqa. `--only` (repeatable) measures the lines of one module; `--json` writes
the table into a file. `--all` runs every measurement of this folder in turn, most of which print tables of their own.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import runpy
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import psutil

from benchmarks.common import Line, report

TABLE = (
    "nearest",
    "ask_process",
    "at_once",
    "first_answer",
    "offline",
    "encoding",
    "static_encoder",
    "tokens",
    "writers",
    "index_size",
)
"""Modules with a function `lines`."""
MODULES = (
    "loading",
    "vectors",
    "indexing",
    "retrieval",
    "nearest",
    "ask_process",
    "serve",
    "path_ranking",
    "calibration",
    "linking",
    "learning",
    "selection",
    "evaluation",
    "hand_made",
    "reading",
    "attach_scale",
    "growth",
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print the table and write it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds and topics")
    parser.add_argument("--only", action="append", choices=TABLE, help="the lines of one module; repeatable")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table into a file, too")
    parser.add_argument("--all", action="store_true", help="run every measurement of this folder in turn")
    given = parser.parse_args(arguments)
    if given.all:
        for module in MODULES:
            print(f"## {module}\n", flush=True)
            runpy.run_module(f"benchmarks.{module}", run_name="__main__")
        return
    lines: list[Line] = []
    for module in given.only or TABLE:
        report(f"{module} …")
        lines += importlib.import_module(f"benchmarks.{module}").lines(quick=given.quick)
    machine = f"{os.cpu_count()} cores, {platform.machine()}, load {psutil.getloadavg()[0]:.1f} at the end"
    print(to_markdown(lines, machine))
    if given.json:
        found = {"machine": machine, "quick": given.quick, "lines": [asdict(line) for line in lines]}
        given.json.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def to_markdown(lines: Sequence[Line], machine: str) -> str:
    """The table, and on what it was measured."""
    rows = ["| what | reference | ours | theirs | ratio | reach | |", "| --- | --- | --: | --: | --: | --: | --- |"]
    for line in lines:
        unit, sign = f" {line.unit}" if line.unit else "", "≥" if line.at_least else "≤"
        numbers = f"{line.ours:.3g}{unit} | {line.theirs:.3g}{unit} | {line.ratio:.3g} | {sign} {line.reach:g}"
        rows.append(f"| {line.what} | {line.reference} | {numbers} | {'reached' if line.reached else 'not reached'} |")
    return "\n".join([*rows, "", f"Measured on {machine}."])


if __name__ == "__main__":
    main()
