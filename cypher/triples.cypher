// Triples by the ids of their relationships. $display maps a label to the property that names its nodes; $details are the
// keys of relationships' own properties that are used.
MATCH (subject)-[r]->(object)
WHERE elementId(r) IN $ids
RETURN elementId(r) AS id, type(r) AS relation, elementId(subject) AS subject_id, elementId(object) AS object_id,
       coalesce(head([label IN labels(subject) WHERE subject[$display[label]] IS NOT NULL | toStringOrNull(subject[$display[label]])]), elementId(subject)) AS subject,
       coalesce(head([label IN labels(object) WHERE object[$display[label]] IS NOT NULL | toStringOrNull(object[$display[label]])]), elementId(object)) AS object,
       [key IN keys(r) WHERE key IN $details | [key, r[key]]] AS details
