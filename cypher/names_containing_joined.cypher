// As names_containing, for a label whose nodes are named by several properties together ($display gives them).
MATCH (node:`{label}`)
WITH node,
     /*{node_name}*/node.name AS name
WHERE any(word IN $words WHERE toLower(name) CONTAINS word)
RETURN elementId(node) AS id, name, labels(node) AS labels, COUNT { (node)--() } AS degree
LIMIT $limit
