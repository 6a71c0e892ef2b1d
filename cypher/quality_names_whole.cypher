// The same of all nodes that have no label of $excluded, by each of their labels.
MATCH (node)
WHERE none(label IN labels(node) WHERE label IN $excluded)
WITH labels(node) AS labels, /*{node_name}*/node.name AS name, EXISTS {
    MATCH (node)-[r]-(other)
    WHERE ($relations IS NULL OR type(r) IN $relations) AND none(label IN labels(other) WHERE label IN $excluded)
  } AS joined
UNWIND labels AS label
WITH label, nullIf(trim(name), '') AS name, count(*) AS found, count(CASE WHEN NOT joined THEN 1 END) AS islands
WITH label, sum(found) AS looked, sum(islands) AS islands, coalesce(sum(CASE WHEN name IS NULL THEN found END), 0) AS unnamed,
     collect(CASE WHEN found > 1 AND name IS NOT NULL THEN [left(name, 200), found] END) AS shared
CALL (shared) {
  UNWIND shared AS pair
  WITH pair ORDER BY pair[1] DESC, pair[0]
  RETURN sum(pair[1]) AS sharing, collect(pair)[..$shown] AS first
}
RETURN label, looked, unnamed, islands, size(shared) AS names, sharing, first
