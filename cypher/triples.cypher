// Triples by the ids of their relationships. $display maps a label to the properties whose values make the name of its nodes; $details are the
// keys of relationships' own properties that are used. Those of other types than $relations (null: all are used), or at a
// node with a label of $excluded, are left out.
MATCH (subject)-[r]->(object)
WHERE elementId(r) IN $ids AND ($relations IS NULL OR type(r) IN $relations)
  AND none(label IN labels(subject) + labels(object) WHERE label IN $excluded)
RETURN elementId(r) AS id, coalesce(r[$told[type(r)]], type(r)) AS relation, elementId(subject) AS subject_id, elementId(object) AS object_id,
       /*{shown_name}*/subject.name AS subject,
       /*{shown_name}*/object.name AS object,
       [key IN keys(r) WHERE key IN $details | [key, r[key]]] AS details
