// Labels, relationship types and how large the graph is, all from Neo4j's own counters.
CALL () {
  CALL db.labels() YIELD label
  RETURN collect(label) AS labels
}
CALL () {
  CALL db.relationshipTypes() YIELD relationshipType
  RETURN collect(relationshipType) AS relations
}
CALL () {
  MATCH (node)
  RETURN count(node) AS found
}
CALL () {
  MATCH (load:KgneoLoad)
  RETURN count(load) AS own
}
CALL () {
  MATCH ()-[r]->()
  RETURN count(r) AS relationships
}
RETURN labels, relations, found - own AS nodes, relationships
