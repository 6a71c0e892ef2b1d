// Loading: how many triples of a source ($digest of its bytes) are in the graph, kept in the transaction that
// brought them, so that an interrupted load goes on where it stopped.
MERGE (load:KgneoLoad {digest: $digest})
SET load.position = $position
