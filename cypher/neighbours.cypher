// The relationships of the node $id in both directions, $limit of them at most, with what is at their ends. $display maps
// a label to the properties whose values make the name of its nodes; $details are the keys of relationships' own
// properties that are used.
MATCH (node)-[r]-()
WHERE elementId(node) = $id AND ($relations IS NULL OR type(r) IN $relations)
  AND none(label IN labels(startNode(r)) + labels(endNode(r)) WHERE label IN $excluded)
WITH DISTINCT r, startNode(r) AS subject, endNode(r) AS object
LIMIT $limit
RETURN elementId(r) AS id, coalesce(r[$told[type(r)]], type(r)) AS relation, elementId(subject) AS subject_id, elementId(object) AS object_id,
       labels(subject) AS subject_labels, labels(object) AS object_labels,
       /*{shown_name}*/subject.name AS subject,
       /*{shown_name}*/object.name AS object,
       [key IN keys(r) WHERE key IN $details | [key, r[key]]] AS details
