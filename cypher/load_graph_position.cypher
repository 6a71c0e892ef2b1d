// Loading a property graph: how many of its nodes and relationships are in the graph, kept in the transaction that
// brought them, so that an interrupted load goes on where it stopped.
MERGE (load:KgneoLoad {digest: $digest})
SET load.name = $name, load.position = $position, load.finished = false
