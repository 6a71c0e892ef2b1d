// As names_containing, for a label whose nodes are named by several properties together ($display gives them).
MATCH (node:`{label}`)
WITH node,
     head([label IN labels(node) WHERE any(key IN $display[label] WHERE node[key] IS NOT NULL) |
         substring(reduce(name = '', key IN [key IN $display[label] WHERE node[key] IS NOT NULL] | name + ' ' + toStringOrNull(node[key])), 1)]) AS name
WHERE any(word IN $words WHERE toLower(name) CONTAINS word)
RETURN elementId(node) AS id, name, labels(node) AS labels, COUNT { (node)--() } AS degree
LIMIT $limit
