// Which of the properties $keys some of the first $most nodes of one label lack that have no label of $excluded: how many
// nodes do. A node of which a label hides a property, as $hidden has it by label.key, is not counted for that one.
MATCH (node:`{label}`)
WHERE none(label IN labels(node) WHERE label IN $excluded)
WITH node LIMIT $most
UNWIND $keys AS key
WITH node, key
WHERE node[key] IS NULL AND ($hidden IS NULL OR none(owner IN labels(node) WHERE owner + '.' + key IN $hidden))
RETURN key, count(*) AS missing
