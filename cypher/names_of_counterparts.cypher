// The one node of a label that each of $ids is joined to by a type, where that is joined so to no other node; none that has a
// label of $excluded.
MATCH (node)-[:`{relation}`]-(other:`{label}`)
WHERE elementId(node) IN $ids AND none(label IN labels(other) WHERE label IN $excluded)
WITH node, collect(DISTINCT other) AS others
WHERE size(others) = 1
WITH node, others[0] AS other
WHERE COUNT { (other)-[:`{relation}`]-() } = 1
RETURN elementId(node) AS id, labels(other) AS labels, properties(other) AS properties
