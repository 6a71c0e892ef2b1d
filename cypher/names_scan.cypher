// Every node that has a name, from the properties that $display gives for one of its labels; without those of $excluded.
MATCH (node)
WHERE none(label IN labels(node) WHERE label IN $excluded)
WITH node, /*{node_name}*/node.name AS name
WHERE name IS NOT NULL
RETURN elementId(node) AS id, name, labels(node) AS labels, COUNT { (node)--() } AS degree
