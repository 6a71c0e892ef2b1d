// Names that several nodes of a label share, without nodes that have a label of $excluded: for each label how many names,
// how many nodes have one of these, and the $shown names of most nodes.
MATCH (node)
WHERE none(label IN labels(node) WHERE label IN $excluded)
WITH labels(node) AS labels, /*{node_name}*/node.name AS name
WHERE trim(name) <> ''
UNWIND labels AS label
WITH label, name, count(*) AS found
WHERE found > 1
WITH label, name, found ORDER BY found DESC, name
RETURN label, count(*) AS names, sum(found) AS nodes, collect([left(name, 200), found])[..$shown] AS first
