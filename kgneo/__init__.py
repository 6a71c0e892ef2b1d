"""Questions answered from a knowledge graph in Neo4j, with the triples that each answer rests on."""

__version__ = "0.1.0"
