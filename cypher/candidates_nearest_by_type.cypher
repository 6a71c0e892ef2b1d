// The same on servers whose vector indexes cover one relationship type each: $indexes names them.
UNWIND $indexes AS index
CALL db.index.vector.queryRelationships(index, $limit, $vector) YIELD relationship AS r
WITH r, (2 * vector.similarity.cosine(r.kgneo_embedding, $vector) - 1) * coalesce(r.kgneo_norm, 1.0) * $norm AS score
ORDER BY score DESC
LIMIT $limit
RETURN collect([elementId(r), elementId(startNode(r)), elementId(endNode(r)), score]) AS hits
