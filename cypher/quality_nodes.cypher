// Of the first $most nodes of one label that have no label of $excluded: how many were looked at, how many have no name, or
// a blank one, and how many have no relationship of $relations (null: of any type) to a node without such a label.
MATCH (node:`{label}`)
WHERE none(label IN labels(node) WHERE label IN $excluded)
WITH node LIMIT $most
WITH /*{node_name}*/node.name AS name, EXISTS {
    MATCH (node)-[r]-(other)
    WHERE ($relations IS NULL OR type(r) IN $relations) AND none(label IN labels(other) WHERE label IN $excluded)
  } AS joined
RETURN count(*) AS looked, count(CASE WHEN name IS NULL OR trim(name) = '' THEN 1 END) AS unnamed,
       count(CASE WHEN NOT joined THEN 1 END) AS islands
