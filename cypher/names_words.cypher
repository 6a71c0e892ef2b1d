// Nodes whose names hold words like those of $words (a Lucene query), from kgneo's full-text index over all labels.
CALL db.index.fulltext.queryNodes('kgneo_names', $words, {limit: $limit}) YIELD node, score
RETURN elementId(node) AS id, labels(node) AS labels, score,
       /*{node_name}*/node.name AS name,
       COUNT { (node)--() } AS degree
ORDER BY score DESC, name
