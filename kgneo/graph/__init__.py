"""Everything that talks to Neo4j. `Graph` is the connection; the other modules work through it."""

from kgneo.graph.connection import Graph

__all__ = ["Graph"]
