// Loading a property graph: what has been loaded before, and how far.
MATCH (load:KgneoLoad)
RETURN load.digest AS digest, load.name AS name, load.position AS position,
  coalesce(load.finished, false) AS finished, load.nodes AS nodes, load.relationships AS relationships
