// The $top_k candidates nearest to the question's $vector, every candidate scored: exact, and about 13 µs each.
// `kgneo_norm` is there only for encoders that compare by dot product.
/*{candidates_near}*/ MATCH (node)-[r]-() WHERE elementId(node) IN $entities WITH r, 1 AS hop LIMIT $most
WHERE r.kgneo_embedding IS NOT NULL
WITH r, hop,
     (2 * vector.similarity.cosine(r.kgneo_embedding, $vector) - 1) * coalesce(r.kgneo_norm, 1.0) * $norm AS score
RETURN elementId(r) AS id, hop, score
ORDER BY score DESC, id
LIMIT $top_k
