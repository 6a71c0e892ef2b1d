// The share of the server's heap that a projection of the nodes $nodes and types $types takes at most, by the estimate of Graph Data Science.
CALL gds.graph.project.estimate($nodes, $types) YIELD heapPercentageMax
RETURN heapPercentageMax AS share
