// The nodes that the full-text index $index has for $words, best first, with the text that each has under $key; of some
// nodes alone, where $ids are given.
CALL db.index.fulltext.queryNodes($index, $words, {limit: $limit}) YIELD node, score
WITH node, score
WHERE ($ids IS NULL OR elementId(node) IN $ids) AND node[$key] IS NOT NULL AND $label IN labels(node)
RETURN elementId(node) AS id, node[$key] AS text, score
ORDER BY score DESC, id
