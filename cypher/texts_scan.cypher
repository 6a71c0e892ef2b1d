// The texts of a property of the nodes of a label, to be cut into passages.
MATCH (node:`{label}`)
WHERE node.`{key}` IS NOT NULL
RETURN elementId(node) AS id, node.`{key}` AS text
ORDER BY id
