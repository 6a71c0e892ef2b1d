// Every relationship with its ends and the digest of its embedding (0 without one): the structure that a mirror keeps.
MATCH (subject)-[r]->(object)
RETURN elementId(r) AS id, elementId(subject) AS subject, elementId(object) AS object,
       CASE WHEN r.kgneo_embedding IS NULL THEN 0 ELSE coalesce(r.kgneo_digest, 1) END AS digest
