// Triples by the ids of their relationships. $display maps a label to the properties whose values make the name of its nodes; $details are the
// keys of relationships' own properties that are used.
MATCH (subject)-[r]->(object)
WHERE elementId(r) IN $ids
RETURN elementId(r) AS id, type(r) AS relation, elementId(subject) AS subject_id, elementId(object) AS object_id,
       /*{shown_name}*/subject.name AS subject,
       /*{shown_name}*/object.name AS object,
       [key IN keys(r) WHERE key IN $details | [key, r[key]]] AS details
