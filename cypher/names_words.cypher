// Nodes whose names hold words like those of $words (a Lucene query), from kgneo's full-text index over all labels.
CALL db.index.fulltext.queryNodes('kgneo_names', $words, {limit: $limit}) YIELD node, score
RETURN elementId(node) AS id, labels(node) AS labels, score,
       head([label IN labels(node) WHERE node[$display[label]] IS NOT NULL | toStringOrNull(node[$display[label]])]) AS name,
       COUNT { (node)--() } AS degree
ORDER BY score DESC, name
