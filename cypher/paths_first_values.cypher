// Which of the properties $keys each of the entities ($entities) has.
UNWIND $entities AS id
MATCH (topic)
WHERE elementId(topic) = id
RETURN id AS topic, labels(topic) AS labels, [key IN keys(topic) WHERE key IN $keys] AS keys
