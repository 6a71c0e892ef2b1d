// Of the first $most nodes of one label that have no label of $excluded: how many were looked at, how many have no name, or
// a blank one, and how many have no relationship of $relations (null: of any type) to a node without such a label; how many
// names are those of several nodes, of how many, and the $shown names of most nodes.
MATCH (node:`{label}`)
WHERE none(label IN labels(node) WHERE label IN $excluded)
WITH node LIMIT $most
WITH /*{node_name}*/node.name AS name, EXISTS {
    MATCH (node)-[r]-(other)
    WHERE ($relations IS NULL OR type(r) IN $relations) AND none(label IN labels(other) WHERE label IN $excluded)
  } AS joined
WITH nullIf(trim(name), '') AS name, count(*) AS found, count(CASE WHEN NOT joined THEN 1 END) AS islands
WITH coalesce(sum(found), 0) AS looked, coalesce(sum(islands), 0) AS islands,
     coalesce(sum(CASE WHEN name IS NULL THEN found END), 0) AS unnamed,
     collect(CASE WHEN found > 1 AND name IS NOT NULL THEN [left(name, 200), found] END) AS shared
CALL (shared) {
  UNWIND shared AS pair
  WITH pair ORDER BY pair[1] DESC, pair[0]
  RETURN sum(pair[1]) AS sharing, collect(pair)[..$shown] AS first
}
RETURN looked, unnamed, islands, size(shared) AS names, sharing, first
