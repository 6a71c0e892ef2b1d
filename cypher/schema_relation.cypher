// What at most $sample relationships of one type connect, and their properties as for labels. Those at a
// node with a label of $excluded are left out, of $looked that are looked at.
MATCH (subject)-[r:`{relation}`]->(object)
WITH subject, r, object LIMIT $looked
WHERE none(label IN labels(subject) + labels(object) WHERE label IN $excluded)
WITH subject, r, object LIMIT $sample
WITH subject, r, object, [key IN keys(r) WHERE $hidden IS NULL OR NOT key IN $hidden AND NOT type(r) + '.' + key IN $hidden |
  [key, valueType(r[key])]] AS typed
RETURN labels(subject) AS subject, labels(object) AS object, [item IN typed | [item[0], item[1],
  CASE WHEN item[1] STARTS WITH 'STRING' OR item[1] STARTS WITH 'LIST' THEN size(r[item[0]]) END,
  CASE
    WHEN item[1] STARTS WITH 'STRING' THEN left(r[item[0]], 200)
    WHEN item[1] STARTS WITH 'VECTOR' THEN null
    WHEN item[1] STARTS WITH 'LIST' AND size(r[item[0]]) > $longest_list THEN null
    ELSE r[item[0]]
  END]] AS properties
