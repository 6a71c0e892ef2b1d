// Nodes whose names hold words like those of $words (a Lucene query), from kgneo's full-text index over all labels.
CALL db.index.fulltext.queryNodes('kgneo_names', $words, {limit: $limit}) YIELD node, score
RETURN elementId(node) AS id, labels(node) AS labels, score,
       head([label IN labels(node) WHERE any(key IN $display[label] WHERE node[key] IS NOT NULL) |
         substring(reduce(name = '', key IN [key IN $display[label] WHERE node[key] IS NOT NULL] | name + ' ' + toStringOrNull(node[key])), 1)]) AS name,
       COUNT { (node)--() } AS degree
ORDER BY score DESC, name
