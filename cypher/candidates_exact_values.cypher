// The property values (keys $keys) of nodes within N - 1 hops of the topic entities that are nearest to the question's
// $vector, every one scored; those of nodes with a label of $excluded, and those that $hidden names, are left out.
/*{candidates_walk}*/ MATCH (node) WHERE elementId(node) IN $entities WITH node, 0 AS depth
UNWIND $keys AS key
WITH node, depth + 1 AS hop, key, node['kgneo_embedding_' + key] AS embedding, node['kgneo_norm_' + key] AS norm
WHERE embedding IS NOT NULL AND node[key] IS NOT NULL AND none(label IN labels(node) WHERE label IN $excluded)
  AND ($hidden IS NULL OR none(owner IN labels(node) WHERE owner + '.' + key IN $hidden))
WITH node, hop, key, (2 * vector.similarity.cosine(embedding, $vector) - 1) * coalesce(norm, 1.0) * $norm AS score
ORDER BY score DESC
LIMIT $top_k
RETURN elementId(node) AS id, hop, key, node[key] AS value, score,
       /*{shown_name}*/node.name AS subject
