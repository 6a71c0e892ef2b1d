// The relations at some entities ($entities, element ids) taken together, each with its direction and number of
// triples. Relationships to nodes with a label of $excluded do not count.
MATCH (entity)-[r]-(other)
WHERE elementId(entity) IN $entities AND NONE(label IN labels(other) WHERE label IN $excluded)
RETURN type(r) AS relation, startNode(r) = entity AS forward, count(r) AS triples
ORDER BY relation, forward
