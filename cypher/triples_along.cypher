// The triples of one relation at some entities ($entities, element ids), all of them up to $limit: those that leave the
// entities, or those that come in, by $forward. $display maps a label to the properties whose values make the name of its nodes; nodes with
// a label of $excluded are left out; where the property $key tells types, those of the type $name; $details are the keys of relationships' own properties that are used.
MATCH (entity) WHERE elementId(entity) IN $entities
MATCH (entity)-[r:`{relation}`]-(other)
WHERE (startNode(r) = entity) = $forward AND NONE(label IN labels(entity) + labels(other) WHERE label IN $excluded)
  AND ($relations IS NULL OR type(r) IN $relations) AND ($key IS NULL OR r[$key] = $name)
WITH DISTINCT r, elementId(entity) AS entity, startNode(r) AS subject, endNode(r) AS object
RETURN elementId(r) AS id, entity, coalesce(r[$told[type(r)]], type(r)) AS relation, elementId(subject) AS subject_id, elementId(object) AS object_id,
       /*{shown_name}*/subject.name AS subject,
       /*{shown_name}*/object.name AS object,
       [key IN keys(r) WHERE key IN $details | [key, r[key]]] AS details
ORDER BY subject, object, id
LIMIT $limit
