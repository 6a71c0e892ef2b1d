// What relations leave or reach entities: $ids are element ids, $limit relationships of each are looked at.
MATCH (entity:Entity) WHERE elementId(entity) IN $ids
CALL (entity) {
  MATCH (entity)-[relationship]-()
  WITH relationship LIMIT $limit
  RETURN collect(DISTINCT [type(relationship), endNode(relationship) = entity]) AS ends
}
RETURN elementId(entity) AS id, ends
