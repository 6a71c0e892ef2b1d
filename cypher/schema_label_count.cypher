// How many nodes have one label (from Neo4j's own counters).
MATCH (node:`{label}`)
WITH count(node) AS found  // alone: beside a constant, what is counted would be read
RETURN /*{number}*/0 AS number, found
