// What at most $sample relationships of one type connect that have $key, and their properties, as for
// labels.
MATCH (subject)-[r:`{relation}`]->(object)
WHERE r[$key] IS NOT NULL
WITH subject, r, object LIMIT $sample
WITH subject, r, object, [key IN keys(r) | [key, valueType(r[key])]] AS typed
RETURN labels(subject) AS subject, labels(object) AS object, [item IN typed | [item[0], item[1],
  CASE WHEN item[1] STARTS WITH 'STRING' OR item[1] STARTS WITH 'LIST' THEN size(r[item[0]]) END,
  CASE
    WHEN item[1] STARTS WITH 'STRING' THEN left(r[item[0]], 200)
    WHEN item[1] STARTS WITH 'VECTOR' THEN null
    WHEN item[1] STARTS WITH 'LIST' AND size(r[item[0]]) > $longest_list THEN null
    ELSE r[item[0]]
  END]] AS properties
