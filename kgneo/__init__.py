"""Questions answered from a knowledge graph in Neo4j, with the triples that each answer rests on.

from kgneo import Graph, ask

with Graph.connect("bolt://localhost:7687", password="…") as graph:
    answer = ask(graph, "what is the capital of [Ethiopia]?")
print(answer.answers, answer.evidence)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgneo.version import __version__

__all__ = [
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

if TYPE_CHECKING:
    from kgneo.asking.async_graph import AsyncGraph
    from kgneo.asking.claim import verify
    from kgneo.asking.question import ask, open_context
    from kgneo.context import Context, Options
    from kgneo.errors import KgneoError
    from kgneo.feedback.give import Said, teach
    from kgneo.graph import Graph
    from kgneo.model import Answer, Triple
    from kgneo.settings import open_store
    from kgneo.verification.verdict import Verification

_HOMES = {
    "Answer": "kgneo.model",
    "AsyncGraph": "kgneo.asking.async_graph",
    "Context": "kgneo.context",
    "Graph": "kgneo.graph",
    "KgneoError": "kgneo.errors",
    "Options": "kgneo.context",
    "Said": "kgneo.feedback.give",
    "Triple": "kgneo.model",
    "Verification": "kgneo.verification.verdict",
    "ask": "kgneo.asking.question",
    "open_context": "kgneo.asking.question",
    "open_store": "kgneo.settings",
    "teach": "kgneo.feedback.give",
    "verify": "kgneo.asking.claim",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `kgneo server status` needs no encoder."""
    if name not in _HOMES:
        raise AttributeError(f"module 'kgneo' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
