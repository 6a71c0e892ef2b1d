// Of all nodes that have no label of $excluded, by each of their labels: how many there are, how many have no name, or a
// blank one, and how many have no relationship of $relations (null: of any type) to a node without such a label.
MATCH (node)
WHERE none(label IN labels(node) WHERE label IN $excluded)
WITH labels(node) AS labels, /*{node_name}*/node.name AS name, EXISTS {
    MATCH (node)-[r]-(other)
    WHERE ($relations IS NULL OR type(r) IN $relations) AND none(label IN labels(other) WHERE label IN $excluded)
  } AS joined
UNWIND labels AS label
RETURN label, count(*) AS looked, count(CASE WHEN name IS NULL OR trim(name) = '' THEN 1 END) AS unnamed,
       count(CASE WHEN NOT joined THEN 1 END) AS islands
