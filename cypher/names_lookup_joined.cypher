// As names_lookup, for a label whose nodes are named by several properties together ($display gives them).
// Nodes with a label of $excluded are left out.
MATCH (node:`{label}`)
WITH node,
     /*{node_name}*/node.name AS name
WHERE toLower(name) IN $lower
  AND none(label IN labels(node) WHERE label IN $excluded)
RETURN elementId(node) AS id, name, labels(node) AS labels, COUNT { (node)--() } AS degree
LIMIT $limit
