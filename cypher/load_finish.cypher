// Loading: a source that is in the graph to its end needs no position any more.
MATCH (load:KgneoLoad {digest: $digest})
DELETE load
