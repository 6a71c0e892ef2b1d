// The $top_k candidates nearest to the question's $vector, every candidate scored: exact, and about 13 µs each.
// `kgneo_norm` is there only for encoders that compare by dot product.
MATCH (topic) WHERE elementId(topic) IN $entities
MATCH walk = (topic)-[*0../*{depth}*/2]-/*{arrow}*/(node)
WITH node, min(length(walk)) AS depth
MATCH (node)-[r]-/*{arrow}*/()
WHERE r.kgneo_embedding IS NOT NULL
WITH r, min(depth) + 1 AS hop
WITH r, hop,
     (2 * vector.similarity.cosine(r.kgneo_embedding, $vector) - 1) * coalesce(r.kgneo_norm, 1.0) * $norm AS score
RETURN elementId(r) AS id, hop, score
ORDER BY score DESC, id
LIMIT $top_k
