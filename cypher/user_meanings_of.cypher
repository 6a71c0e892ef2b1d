// How like the embeddings of some nodes are to $vector (a cosine), with the text that each has under $key.
MATCH (node)
WHERE elementId(node) IN $ids AND $label IN labels(node) AND node[$embedding] IS NOT NULL
RETURN elementId(node) AS id, node[$key] AS text,
       2 * vector.similarity.cosine(node[$embedding], $vector) - 1 AS likeness
ORDER BY likeness DESC, id
