// Nodes by their ids, with their labels and their properties, but for kgneo's.
MATCH (node)
WHERE elementId(node) IN $ids
RETURN elementId(node) AS id, labels(node) AS labels,
       [key IN keys(node) WHERE NOT key STARTS WITH 'kgneo' | [key, node[key]]] AS properties
