// A few nodes of a label with an embedding of their own, and the texts that it may be of.
MATCH (node:`{label}`)
WHERE node.`{key}` IS NOT NULL
RETURN node.`{key}` AS embedding, [key IN $keys | node[key]] AS texts
LIMIT $limit
