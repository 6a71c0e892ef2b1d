// The candidates themselves, by hop: those that candidates_count counts. $display maps a label to the properties whose
// values make the name of its nodes.
/*{candidates_near}*/ MATCH (node)-[r]-() WHERE elementId(node) IN $entities WITH r, 1 AS hop LIMIT $most
WHERE ($relations IS NULL OR type(r) IN $relations)
  AND none(label IN labels(startNode(r)) + labels(endNode(r)) WHERE label IN $excluded)
WITH r, hop, startNode(r) AS subject, endNode(r) AS object
RETURN elementId(r) AS id, hop, coalesce(r[$told[type(r)]], type(r)) AS relation, elementId(subject) AS subject_id, elementId(object) AS object_id,
       /*{shown_name}*/subject.name AS subject,
       /*{shown_name}*/object.name AS object,
       [key IN keys(r) WHERE key IN $details | [key, r[key]]] AS details
ORDER BY hop, subject, relation, object
