// Loading: where an interrupted load of the same source stopped.
MATCH (load:KgneoLoad {digest: $digest})
RETURN load.position AS position
