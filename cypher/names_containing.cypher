// Nodes of one label whose name holds one of $words, without an index of kgneo's.
// Nodes with a label of $excluded are left out.
MATCH (node:`{label}`)
WHERE any(word IN $words WHERE toLower(toStringOrNull(node.`{key}`)) CONTAINS word)
  AND none(label IN labels(node) WHERE label IN $excluded)
RETURN elementId(node) AS id, toStringOrNull(node.`{key}`) AS name, labels(node) AS labels, COUNT { (node)--() } AS degree
LIMIT $limit
