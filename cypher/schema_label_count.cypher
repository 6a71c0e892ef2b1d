// How many nodes have one label (from Neo4j's own counters).
MATCH (node:`{label}`)
RETURN count(node) AS found
