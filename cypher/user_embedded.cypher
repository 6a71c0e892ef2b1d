// A few nodes of a label with an embedding of their own, and a text that it may be of.
MATCH (node:`{label}`)
WHERE node.`{embedding}` IS NOT NULL AND node.`{key}` IS NOT NULL
RETURN node.`{embedding}` AS embedding, node.`{key}` AS text
LIMIT $limit
