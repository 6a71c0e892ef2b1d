// Loading a property graph: it is in the graph to its end. The record stays, so that the same files are not loaded
// twice: their relationships would be there twice.
MATCH (load:KgneoLoad {digest: $digest})
SET load.finished = true, load.nodes = $nodes, load.relationships = $relationships
