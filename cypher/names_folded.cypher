// Nodes of one label by the digest of their folded name, which `kgneo index` wrote onto them.
UNWIND $keys AS key
MATCH (node:`{label}` {kgneo_folded: key})
RETURN elementId(node) AS id, labels(node) AS labels,
       head([label IN labels(node) WHERE any(key IN $display[label] WHERE node[key] IS NOT NULL) |
         substring(reduce(name = '', key IN [key IN $display[label] WHERE node[key] IS NOT NULL] | name + ' ' + toStringOrNull(node[key])), 1)]) AS name,
       COUNT { (node)--() } AS degree
LIMIT $limit
