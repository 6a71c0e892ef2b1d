// The same on servers whose vector indexes cover one relationship type each: $indexes names them. Their own scores
// come from quantised vectors, so those that are kept are scored again.
UNWIND $indexes AS index
CALL db.index.vector.queryRelationships(index, $searched, $vector) YIELD relationship AS r, score AS similarity
WITH r, similarity
ORDER BY similarity DESC
LIMIT $limit
WITH r, (2 * vector.similarity.cosine(r.kgneo_embedding, $vector) - 1) * coalesce(r.kgneo_norm, 1.0) * $norm AS score
RETURN collect([elementId(r), elementId(startNode(r)), elementId(endNode(r)), score]) AS hits
