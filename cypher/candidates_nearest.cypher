// The $limit triples of the whole graph that are nearest to the question, from the vector index over all types.
// The index is asked for more ($searched), since it finds the nearest ones the surer the more it looks for.
CYPHER 25
MATCH ()-[r]->()
  SEARCH r IN (VECTOR INDEX `{index}` FOR $vector LIMIT $searched) SCORE AS similarity
WITH r, similarity
ORDER BY similarity DESC
LIMIT $limit
WITH r, (2 * similarity - 1) * coalesce(r.kgneo_norm, 1.0) * $norm AS score
RETURN collect([elementId(r), elementId(startNode(r)), elementId(endNode(r)), score]) AS hits
