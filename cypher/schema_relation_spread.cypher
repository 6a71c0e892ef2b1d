// The same as for one type, of at most $sample relationships that have one of these ids, and the type
// $name where one is given.
UNWIND $ids AS id
MATCH (subject)-[r]->(object)
WHERE elementId(r) = id AND ($name IS NULL OR type(r) = $name)
WITH subject, r, object LIMIT $sample
WITH subject, r, object, [key IN keys(r) | [key, valueType(r[key])]] AS typed
RETURN elementId(r) AS id, labels(subject) AS subject, labels(object) AS object, [item IN typed | [item[0], item[1],
  CASE WHEN item[1] STARTS WITH 'STRING' OR item[1] STARTS WITH 'LIST' THEN size(r[item[0]]) END,
  CASE
    WHEN item[1] STARTS WITH 'STRING' THEN left(r[item[0]], 200)
    WHEN item[1] STARTS WITH 'VECTOR' THEN null
    WHEN item[1] STARTS WITH 'LIST' AND size(r[item[0]]) > $longest_list THEN null
    ELSE r[item[0]]
  END]] AS properties
