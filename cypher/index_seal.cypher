// Puts a seal on the graph: a mirror that does not have the same is one of another graph, whatever its mark.
MATCH (index:KgneoIndex)
SET index.seal = $seal
