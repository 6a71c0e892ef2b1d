// The types of relationships between any two of the entities ($entities).
UNWIND $entities AS id
MATCH (topic)-[r]->(other)
WHERE elementId(topic) = id AND elementId(other) IN $entities
RETURN DISTINCT elementId(topic) AS subject, elementId(other) AS object, coalesce(r[$told[type(r)]], type(r)) AS relation
