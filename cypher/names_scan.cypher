// Every node that has a name, from the properties that $display gives for one of its labels; without those of $excluded.
MATCH (node)
WHERE none(label IN labels(node) WHERE label IN $excluded)
WITH node, head([label IN labels(node) WHERE any(key IN $display[label] WHERE node[key] IS NOT NULL) |
         substring(reduce(name = '', key IN [key IN $display[label] WHERE node[key] IS NOT NULL] | name + ' ' + toStringOrNull(node[key])), 1)]) AS name
WHERE name IS NOT NULL
RETURN elementId(node) AS id, name, labels(node) AS labels, COUNT { (node)--() } AS degree
