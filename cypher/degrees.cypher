// How many relationships of the given types each node has: those that have most first, or last with $ascending, $limit of
// them. Nodes with a label of $excluded are left out; $labels: one of these, or any where it is null.
MATCH (node)
WHERE none(label IN labels(node) WHERE label IN $excluded)
  AND ($labels IS NULL OR any(label IN labels(node) WHERE label IN $labels))
WITH node, COUNT { (node)-[:`{relations}`]-() } AS number
ORDER BY CASE WHEN $ascending THEN number ELSE -number END, elementId(node)
LIMIT $limit
RETURN elementId(node) AS id, number
