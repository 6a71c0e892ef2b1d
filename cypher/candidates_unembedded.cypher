// At most $limit candidates without an embedding, nearest hops first. $display maps a label to the properties whose values
// make the name of its nodes.
/*{candidates_walk}*/ MATCH (node) WHERE elementId(node) IN $entities WITH node, 0 AS depth
MATCH (node)-[r]-/*{arrow}*/()
WHERE r.kgneo_digest IS NULL AND ($relations IS NULL OR type(r) IN $relations)
  AND none(label IN labels(startNode(r)) + labels(endNode(r)) WHERE label IN $excluded)
WITH r, min(depth) + 1 AS hop
ORDER BY hop, elementId(r)
LIMIT $limit
WITH r, hop, startNode(r) AS subject, endNode(r) AS object
RETURN elementId(r) AS id, hop, coalesce(r[$told[type(r)]], type(r)) AS relation, elementId(subject) AS subject_id, elementId(object) AS object_id,
       /*{shown_name}*/subject.name AS subject,
       /*{shown_name}*/object.name AS object,
       [key IN keys(r) WHERE key IN $details | [key, r[key]]] AS details
ORDER BY hop, id
