// What relationships of one type at the nodes $ids say in the property $key, each with the node at its other end and what
// that has as $kind; nodes with a label of $excluded are left out.
MATCH (node)-[r:`{relation}`]-(other)
WHERE elementId(node) IN $ids AND r[$key] IS :: STRING NOT NULL
  AND none(label IN labels(node) + labels(other) WHERE label IN $excluded)
RETURN elementId(r) AS id, r[$key] AS sentence, elementId(other) AS other, other[$kind] AS kind
ORDER BY id
LIMIT $most
