// The property values (keys $keys) of nodes within N - 1 hops of the topic entities that are nearest to the question's
// $vector, every one scored.
MATCH (topic) WHERE elementId(topic) IN $entities
MATCH walk = (topic)-[*0../*{depth}*/2]-/*{arrow}*/(node)
WITH node, min(length(walk)) AS depth
UNWIND $keys AS key
WITH node, depth + 1 AS hop, key, node['kgneo_embedding_' + key] AS embedding, node['kgneo_norm_' + key] AS norm
WHERE embedding IS NOT NULL AND node[key] IS NOT NULL
WITH node, hop, key, (2 * vector.similarity.cosine(embedding, $vector) - 1) * coalesce(norm, 1.0) * $norm AS score
ORDER BY score DESC
LIMIT $top_k
RETURN elementId(node) AS id, hop, key, node[key] AS value, score,
       coalesce(head([label IN labels(node) WHERE any(key IN $display[label] WHERE node[key] IS NOT NULL) |
         substring(reduce(name = '', key IN [key IN $display[label] WHERE node[key] IS NOT NULL] | name + ' ' + toStringOrNull(node[key])), 1)]), elementId(node)) AS subject
