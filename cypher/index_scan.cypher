// Every triple with what is needed to see whether its embedding is there and up to date.
// $display maps a label to the property that names its nodes, for a loaded graph {Entity: 'name'}.
MATCH (subject)-[r]->(object)
RETURN elementId(r) AS id,
       coalesce(head([label IN labels(subject) WHERE subject[$display[label]] IS NOT NULL | toStringOrNull(subject[$display[label]])]), elementId(subject)) AS subject,
       type(r) AS relation,
       coalesce(head([label IN labels(object) WHERE object[$display[label]] IS NOT NULL | toStringOrNull(object[$display[label]])]), elementId(object)) AS object,
       r.kgneo_digest AS digest
