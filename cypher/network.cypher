// The ends of the relationships of the given types, as element ids; nodes with a label of $excluded are left out. At most $limit.
MATCH (subject)-[:`{relations}`]->(object)
WHERE none(label IN labels(subject) + labels(object) WHERE label IN $excluded)
RETURN elementId(subject) AS subject, elementId(object) AS object
LIMIT $limit
