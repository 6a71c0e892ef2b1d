// Nodes of one label by exact name or by name in lower case, without an index of kgneo's: the label is scanned, or the
// database's own index on the property is used for exact names.
// Nodes with a label of $excluded are left out.
MATCH (node:`{label}`)
WHERE (node.`{key}` IN $names OR toLower(toStringOrNull(node.`{key}`)) IN $lower)
  AND none(label IN labels(node) WHERE label IN $excluded)
RETURN elementId(node) AS id, toStringOrNull(node.`{key}`) AS name, labels(node) AS labels, COUNT { (node)--() } AS degree
LIMIT $limit
