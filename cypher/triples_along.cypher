// The triples of some relations around some entities ($entities, element ids), all of them up to $limit. $steps is a
// list of [relation, forward]: forward leaves the entity, else the relationship comes in. $display maps a label to the
// property that names its nodes; nodes with a label of $excluded are left out.
MATCH (entity) WHERE elementId(entity) IN $entities
MATCH (entity)-[r:`{relations}`]-(other)
WHERE NONE(label IN labels(other) WHERE label IN $excluded)
WITH r, elementId(entity) AS entity, startNode(r) = entity AS forward
WHERE [type(r), forward] IN $steps
WITH DISTINCT r, entity, forward, startNode(r) AS subject, endNode(r) AS object
RETURN elementId(r) AS id, entity, forward, type(r) AS relation, elementId(subject) AS subject_id, elementId(object) AS object_id,
       coalesce(head([label IN labels(subject) WHERE subject[$display[label]] IS NOT NULL | toStringOrNull(subject[$display[label]])]), elementId(subject)) AS subject,
       coalesce(head([label IN labels(object) WHERE object[$display[label]] IS NOT NULL | toStringOrNull(object[$display[label]])]), elementId(object)) AS object
ORDER BY relation, forward DESC, subject, object, id
LIMIT $limit
