"""Links that open Neo4j Browser on a graph, with a query in its editor.

The server says on which HTTP port it serves Browser; where it does not say, or has none, Neo4j's own Browser on the web
is named, which connects from the user's machine straight to the database.
"""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from kgneo.errors import GraphError, GraphUnavailable
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import query

ON_THE_WEB = "https://browser.neo4j.io/"
LOCAL_HOSTS = frozenset(("localhost", "127.0.0.1", "::1", "0.0.0.0", ""))  # noqa: S104


def browser_link(graph: Graph, cypher: str = "", *, username: str = "neo4j") -> str:
    """The address of Neo4j Browser, about to log in to `graph`'s server as `username`, with `cypher` in the editor,
    not yet run."""
    address = graph.address.replace("://", f"://{quote(username, safe='')}@", 1)
    link = f"{browser_address(graph)}?dbms={quote(address, safe='')}"
    if graph.database:
        link += f"&db={quote(graph.database, safe='')}"
    return with_query(link, cypher) if cypher else link


def with_query(link: str, cypher: str) -> str:
    """A link of `browser_link` without a query, with one in the editor."""
    return f"{link}&cmd=edit&arg={quote(cypher, safe='')}"


def browser_address(graph: Graph) -> str:
    """Where Browser is, without a query."""
    try:
        settings = {row["name"]: row["value"] for row in graph.read(query("browser_address"))}
    except GraphUnavailable:
        raise
    except GraphError:
        return ON_THE_WEB  # the user may not read settings: Aura, or a role without the right
    for scheme in ("https", "http"):
        if settings.get(f"server.{scheme}.enabled") == "true":
            advertised = settings.get(f"server.{scheme}.advertised_address") or ""
            return f"{scheme}://{_reachable(advertised, graph)}/browser/"
    return ON_THE_WEB


def _reachable(advertised: str, graph: Graph) -> str:
    """The address as it is reached from here: a server often advertises itself as localhost."""
    parts = urlsplit(f"//{advertised}")
    host = parts.hostname or ""
    ours = urlsplit(graph.address).hostname or host
    if host in LOCAL_HOSTS:
        host = ours
    shown = f"[{host}]" if ":" in host else host
    return f"{shown}:{parts.port}" if parts.port else shown
