// Every triple with what is needed to see whether its embedding is there and up to date. $display maps a label to the
// properties whose values make the name of its nodes, for a loaded graph {Entity: ['name']}; nodes with a label of $excluded and relations that
// are not in $relations (null: all are) are left out; $details are the keys of relationships' properties that are used.
MATCH (subject)-[r]->(object)
WHERE ($relations IS NULL OR type(r) IN $relations)
  AND none(label IN labels(subject) + labels(object) WHERE label IN $excluded)
RETURN elementId(r) AS id,
       /*{shown_name}*/subject.name AS subject,
       coalesce(r[$told[type(r)]], type(r)) AS relation,
       /*{shown_name}*/object.name AS object,
       [key IN keys(r) WHERE key IN $details | [key, r[key]]] AS details,
       r.kgneo_digest AS digest
