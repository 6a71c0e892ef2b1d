// The nodes whose embeddings are nearest to those of the nodes $ids, by the vector index $index, with the cosine.
MATCH (given)
WHERE elementId(given) IN $ids AND given[$embedding] IS NOT NULL
CALL db.index.vector.queryNodes($index, $limit, given[$embedding]) YIELD node
WITH node, given
WHERE NOT elementId(node) IN $ids AND NOT any(label IN labels(node) WHERE label IN $excluded)
  AND ($labels IS NULL OR any(label IN labels(node) WHERE label IN $labels))
RETURN elementId(node) AS id, max(2 * vector.similarity.cosine(node[$embedding], given[$embedding]) - 1) AS likeness
ORDER BY likeness DESC, id
