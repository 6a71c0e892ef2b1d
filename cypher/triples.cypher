// Triples by the ids of their relationships. $display maps a label to the properties whose values make the name of its nodes; $details are the
// keys of relationships' own properties that are used.
MATCH (subject)-[r]->(object)
WHERE elementId(r) IN $ids
RETURN elementId(r) AS id, type(r) AS relation, elementId(subject) AS subject_id, elementId(object) AS object_id,
       coalesce(head([label IN labels(subject) WHERE any(key IN $display[label] WHERE subject[key] IS NOT NULL) |
         substring(reduce(name = '', key IN [key IN $display[label] WHERE subject[key] IS NOT NULL] | name + ' ' + toStringOrNull(subject[key])), 1)]), elementId(subject)) AS subject,
       coalesce(head([label IN labels(object) WHERE any(key IN $display[label] WHERE object[key] IS NOT NULL) |
         substring(reduce(name = '', key IN [key IN $display[label] WHERE object[key] IS NOT NULL] | name + ' ' + toStringOrNull(object[key])), 1)]), elementId(object)) AS object,
       [key IN keys(r) WHERE key IN $details | [key, r[key]]] AS details
