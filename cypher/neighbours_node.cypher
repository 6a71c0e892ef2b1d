// The node $id: its labels, its properties without kgneo's own, and the number of its relationships.
MATCH (node)
WHERE elementId(node) = $id AND none(label IN labels(node) WHERE label IN $excluded)
RETURN labels(node) AS labels, COUNT { (node)--() } AS degree, /*{shown_name}*/node.name AS name,
       [key IN keys(node) WHERE NOT toLower(key) STARTS WITH 'kgneo' | [key, node[key]]] AS properties
