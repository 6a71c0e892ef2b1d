"""`python -m benchmarks`: every measurement in turn."""

from __future__ import annotations

import runpy

MODULES = (
    "loading",
    "vectors",
    "indexing",
    "retrieval",
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
)

for module in MODULES:
    print(f"## {module}\n", flush=True)
    runpy.run_module(f"benchmarks.{module}", run_name="__main__")
