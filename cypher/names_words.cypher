// Nodes whose names hold words like those of $words (a Lucene query), from kgneo's full-text index over all labels; those with a
// label of $excluded are left out.
CALL db.index.fulltext.queryNodes('kgneo_names', $words, {limit: $limit}) YIELD node, score
WHERE none(label IN labels(node) WHERE label IN $excluded)
RETURN elementId(node) AS id, labels(node) AS labels, score,
       /*{node_name}*/node.name AS name,
       COUNT { (node)--() } AS degree
ORDER BY score DESC, name
