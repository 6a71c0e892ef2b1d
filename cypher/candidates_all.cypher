// The candidates themselves, by hop: those that candidates_count counts. $display maps a label to the properties whose values make the name of its nodes.
MATCH (topic) WHERE elementId(topic) IN $entities
MATCH walk = (topic)-[*0../*{depth}*/2]-/*{arrow}*/(node)
WITH node, min(length(walk)) AS depth
MATCH (node)-[r]-/*{arrow}*/()
WHERE ($relations IS NULL OR type(r) IN $relations)
  AND none(label IN labels(startNode(r)) + labels(endNode(r)) WHERE label IN $excluded)
WITH r, min(depth) + 1 AS hop
WITH r, hop, startNode(r) AS subject, endNode(r) AS object
RETURN elementId(r) AS id, hop, type(r) AS relation, elementId(subject) AS subject_id, elementId(object) AS object_id,
       coalesce(head([label IN labels(subject) WHERE any(key IN $display[label] WHERE subject[key] IS NOT NULL) |
         substring(reduce(name = '', key IN [key IN $display[label] WHERE subject[key] IS NOT NULL] | name + ' ' + toStringOrNull(subject[key])), 1)]), elementId(subject)) AS subject,
       coalesce(head([label IN labels(object) WHERE any(key IN $display[label] WHERE object[key] IS NOT NULL) |
         substring(reduce(name = '', key IN [key IN $display[label] WHERE object[key] IS NOT NULL] | name + ' ' + toStringOrNull(object[key])), 1)]), elementId(object)) AS object,
       [key IN keys(r) WHERE key IN $details | [key, r[key]]] AS details
ORDER BY hop, subject, relation, object
