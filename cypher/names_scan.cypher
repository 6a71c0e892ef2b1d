// Every node that has a name, by the property that $display gives for one of its labels; without those of $excluded.
MATCH (node)
WHERE none(label IN labels(node) WHERE label IN $excluded)
WITH node, head([label IN labels(node) WHERE node[$display[label]] IS NOT NULL | toStringOrNull(node[$display[label]])]) AS name
WHERE name IS NOT NULL
RETURN elementId(node) AS id, name, labels(node) AS labels, COUNT { (node)--() } AS degree
