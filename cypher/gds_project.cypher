// The nodes $nodes (labels, or '*') with the relationships of the types $types as a projection of Graph Data Science that is called $name. It is in memory alone; nothing is written.
CALL gds.graph.project($name, $nodes, $types) YIELD nodeCount, relationshipCount
RETURN nodeCount AS nodes, relationshipCount AS relationships
