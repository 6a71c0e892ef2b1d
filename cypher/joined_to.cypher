// The relationships of a type that join the nodes $ids, as subjects ($forward) or objects, to others; of these those of
// $there (null: all).
MATCH (node)-[way:`{type}`]-(there)
WHERE elementId(node) IN $ids AND (startNode(way) = node) = $forward
  AND ($there IS NULL OR elementId(there) IN $there)
  AND none(label IN labels(node) + labels(there) WHERE label IN $excluded)
RETURN elementId(node) AS id, elementId(there) AS there, elementId(way) AS way
