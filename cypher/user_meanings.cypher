// The nodes whose embeddings are nearest to $vector in the vector index $index, with the text that each has under $key.
CALL db.index.vector.queryNodes($index, $limit, $vector) YIELD node
WITH node
WHERE $label IN labels(node)
RETURN elementId(node) AS id, node[$key] AS text,
       2 * vector.similarity.cosine(node[$embedding], $vector) - 1 AS likeness
ORDER BY likeness DESC, id
