// Of the relationships that have one of these ids and join two nodes, by type: how many there are, and for how many
// there is one of the type back.
UNWIND $ids AS id
MATCH (subject)-[r]->(object)
WHERE elementId(r) = id AND subject <> object
RETURN type(r) AS relation, count(*) AS looked,
  count(CASE WHEN EXISTS { MATCH (object)-[other]->(subject) WHERE type(other) = type(r) } THEN 1 END) AS back
