// What is joined to the same nodes as the nodes $ids, by the same types the same way: the rarer what is shared (the fewer
// relationships it has), the more it counts. Shared nodes with more than $busiest relationships are left out, nodes with a
// label of $excluded, too; $labels: what is found has one of these, or any where it is null. With the relationships.
MATCH (given)-[r:`{relations}`]-(shared)
WHERE elementId(given) IN $ids AND none(label IN labels(shared) WHERE label IN $excluded)
WITH DISTINCT given, r, shared, COUNT { (shared)--() } AS degree
WHERE degree > 1 AND degree <= $busiest
MATCH (shared)-[s:`{relations}`]-(found)
WHERE type(s) = type(r) AND (startNode(s) = shared) = (startNode(r) = shared) AND NOT elementId(found) IN $ids
  AND none(label IN labels(found) WHERE label IN $excluded)
  AND ($labels IS NULL OR any(label IN labels(found) WHERE label IN $labels))
WITH found, shared, degree, collect(DISTINCT elementId(r)) + collect(DISTINCT elementId(s)) AS relationships
WITH found, sum(1.0 / log(1 + degree)) AS score, count(shared) AS number,
     collect({id: elementId(shared), degree: degree, relationships: relationships}) AS shared
ORDER BY score DESC, elementId(found)
LIMIT $limit
RETURN elementId(found) AS id, score, number, shared
