// Nodes of one label by the digest of their folded name, which `kgneo index` wrote onto them; those with a label of
// $excluded are left out.
UNWIND $keys AS key
MATCH (node:`{label}` {kgneo_folded: key})
WHERE none(label IN labels(node) WHERE label IN $excluded)
RETURN elementId(node) AS id, labels(node) AS labels,
       /*{node_name}*/node.name AS name,
       COUNT { (node)--() } AS degree
LIMIT $limit
