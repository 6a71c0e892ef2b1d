// The relations that leave the topic entities ($entities), each with its direction.
MATCH (topic)-[r]-(node)
WHERE elementId(topic) IN $entities
RETURN type(r) AS relation, startNode(r) = topic AS forward, count(r) AS triples
ORDER BY relation, forward
