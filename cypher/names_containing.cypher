// Nodes of one label whose name holds one of $words, without an index of kgneo's.
MATCH (node:`{label}`)
WHERE any(word IN $words WHERE toLower(toStringOrNull(node.`{key}`)) CONTAINS word)
RETURN elementId(node) AS id, toStringOrNull(node.`{key}`) AS name, labels(node) AS labels, COUNT { (node)--() } AS degree
LIMIT $limit
