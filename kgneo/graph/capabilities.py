"""What a server can do, found by trying it once per connection.

Version numbers say little: Aura's and forks' are their own. Each probe is an EXPLAIN, which plans a query
without running it, or a query that only returns its parameter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from neo4j.vector import Vector

from kgneo.errors import GraphError, GraphUnavailable


class Reader(Protocol):
    """A connection that runs queries."""

    def read(self, query: str, /, **parameters: Any) -> list[dict[str, Any]]: ...


@dataclass(frozen=True, slots=True)
class Capabilities:
    """`search`: Cypher 25's SEARCH clause, and with it one vector index over several relationship types;
    `packed_vectors`: vectors as parameters in packed form; `version`: for people to read, never to decide by."""

    search: bool
    packed_vectors: bool
    version: str


SEARCH_PROBE = (
    "EXPLAIN CYPHER 25 MATCH ()-[r]->() "
    "SEARCH r IN (VECTOR INDEX kgneo_probe FOR $vector LIMIT 1) SCORE AS score RETURN r"
)
SYNTAX_ERRORS = ("SyntaxError", "ParameterMissing", "ArgumentError")


def probe(graph: Reader) -> Capabilities:
    """Try each capability on `graph`'s server."""
    version = graph.read("CALL dbms.components() YIELD name, versions, edition RETURN versions[0] AS version, edition")
    return Capabilities(
        search=_accepts(graph, SEARCH_PROBE, vector=[0.1, 0.2]),
        packed_vectors=_runs(graph, "RETURN $vector AS vector", vector=Vector([1.0], "f32")),
        version=f"{version[0]['version']} {version[0]['edition']}" if version else "unknown",
    )


def _accepts(graph: Reader, query: str, **parameters: Any) -> bool:
    """Whether the server knows the syntax. An index that does not exist is missed after that was accepted."""
    error = _error(graph, query, parameters)
    return error is None or not any(code in str(error) for code in SYNTAX_ERRORS)


def _runs(graph: Reader, query: str, **parameters: Any) -> bool:
    """Whether server and driver take the query with these parameters."""
    return _error(graph, query, parameters) is None


def _error(graph: Reader, query: str, parameters: dict[str, Any]) -> GraphError | None:
    try:
        graph.read(query, **parameters)
    except GraphUnavailable:
        raise
    except GraphError as error:
        return error
    return None
