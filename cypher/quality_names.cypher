// Names that several of the first $most nodes of one label share, which have no label of $excluded: how many names, how many
// nodes have one of these, and the $shown names of most nodes.
MATCH (node:`{label}`)
WHERE none(label IN labels(node) WHERE label IN $excluded)
WITH node LIMIT $most
WITH /*{node_name}*/node.name AS name
WHERE trim(name) <> ''
WITH name, count(*) AS found
WHERE found > 1
WITH name, found ORDER BY found DESC, name
RETURN count(*) AS names, coalesce(sum(found), 0) AS nodes, collect([left(name, 200), found])[..$shown] AS first
