// The relations that leave each of the entities ($entities), each with its direction.
UNWIND $entities AS id
MATCH (topic)-[r]-()
WHERE elementId(topic) = id
RETURN id AS topic, coalesce(r[$told[type(r)]], type(r)) AS relation, startNode(r) = topic AS forward, count(r) AS triples
ORDER BY topic, relation, forward
