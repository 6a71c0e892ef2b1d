// The property values (keys $keys) of nodes within N - 1 hops of the topic entities, by hop; those of nodes with a label of $excluded are
// left out.
MATCH (topic) WHERE elementId(topic) IN $entities
MATCH walk = (topic)-[*0../*{depth}*/2]-/*{arrow}*/(node)
WITH node, min(length(walk)) + 1 AS hop
WHERE none(label IN labels(node) WHERE label IN $excluded)
RETURN elementId(node) AS id, hop, labels(node) AS labels,
       [key IN keys(node) WHERE key IN $keys | [key, node[key]]] AS values,
       coalesce(head([label IN labels(node) WHERE any(key IN $display[label] WHERE node[key] IS NOT NULL) |
         substring(reduce(name = '', key IN [key IN $display[label] WHERE node[key] IS NOT NULL] | name + ' ' + toStringOrNull(node[key])), 1)]), elementId(node)) AS subject
ORDER BY hop, subject
