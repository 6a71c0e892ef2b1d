// The property values (keys $keys) of nodes within N - 1 hops of the topic entities, by hop; those of nodes with a
// label of $excluded are left out.
/*{candidates_walk}*/ MATCH (node) WHERE elementId(node) IN $entities WITH node, 0 AS depth
WITH node, depth + 1 AS hop
WHERE none(label IN labels(node) WHERE label IN $excluded)
RETURN elementId(node) AS id, hop, labels(node) AS labels,
       [key IN keys(node) WHERE key IN $keys | [key, node[key]]] AS values,
       /*{shown_name}*/node.name AS subject
ORDER BY hop, subject
