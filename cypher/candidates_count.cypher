// The candidates by hop: each triple is counted at the hop at which it is first reached from a topic entity.
// Relations that are not in $relations (null: all are) and nodes with a label of $excluded are left out.
/*{candidates_near}*/ MATCH (node)-[r]-() WHERE elementId(node) IN $entities WITH r, 1 AS hop LIMIT $most
WHERE ($relations IS NULL OR type(r) IN $relations)
  AND none(label IN labels(startNode(r)) + labels(endNode(r)) WHERE label IN $excluded)
RETURN hop, count(r) AS triples
ORDER BY hop
