// Which properties nodes of a label lack that $keys has for it, without nodes that have a label of $excluded: how many nodes
// do. A node of which a label hides a property, as $hidden has it by label.key, is not counted for that one.
MATCH (node)
WHERE none(label IN labels(node) WHERE label IN $excluded)
UNWIND labels(node) AS label
UNWIND $keys[label] AS key
WITH node, label, key
WHERE node[key] IS NULL AND ($hidden IS NULL OR none(owner IN labels(node) WHERE owner + '.' + key IN $hidden))
RETURN label, key, count(*) AS missing
