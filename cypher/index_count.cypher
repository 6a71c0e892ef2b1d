// How many relationships the graph has (from Neo4j's own counters).
MATCH ()-[r]->()
RETURN count(r) AS triples
