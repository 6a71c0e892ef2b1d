"""Questions answered from a knowledge graph in Neo4j, with the triples that each answer rests on.

from kgneo import Graph, ask

with Graph.connect("bolt://localhost:7687", password="…") as graph:
    answer = ask(graph, "what is the capital of [Ethiopia]?")
print(answer.answer, answer.evidence)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kgneo.asking import ask, open_context
    from kgneo.context import Context, Options
    from kgneo.errors import KgneoError
    from kgneo.graph import Graph
    from kgneo.llm import load_model
    from kgneo.model import Answer

__version__ = "0.1.0"
__all__ = ["Answer", "Context", "Graph", "KgneoError", "Options", "__version__", "ask", "load_model", "open_context"]

_HOMES = {
    "Answer": "kgneo.model",
    "Context": "kgneo.context",
    "Graph": "kgneo.graph",
    "KgneoError": "kgneo.errors",
    "Options": "kgneo.context",
    "ask": "kgneo.asking",
    "load_model": "kgneo.llm",
    "open_context": "kgneo.asking",
}


def __getattr__(name: str) -> object:
    """Public names are imported when they are used, so that `kgneo --help` is quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'kgneo' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
