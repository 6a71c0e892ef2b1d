// The nodes $ids: the labels of each, and its properties without kgneo's own.
MATCH (node)
WHERE elementId(node) IN $ids AND none(label IN labels(node) WHERE label IN $excluded)
RETURN elementId(node) AS id, labels(node) AS labels,
       [key IN keys(node) WHERE NOT toLower(key) STARTS WITH 'kgneo' | [key, node[key]]] AS properties
