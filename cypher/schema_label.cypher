// The properties of at most $sample nodes of one label: key, type, length of texts and lists, value. Vectors and long
// lists stay in the database. Nodes with a label of $excluded are left out, of $looked that are looked at, and so are the
// properties that $hidden (null: nothing is hidden) has.
MATCH (node:`{label}`)
WITH node LIMIT $looked
WHERE none(label IN labels(node) WHERE label IN $excluded)
WITH node LIMIT $sample
WITH node, [key IN keys(node) WHERE $hidden IS NULL OR NOT key IN $hidden
  AND none(owner IN labels(node) WHERE owner + '.' + key IN $hidden) | [key, valueType(node[key])]] AS typed
RETURN [item IN typed | [item[0], item[1],
  CASE WHEN item[1] STARTS WITH 'STRING' OR item[1] STARTS WITH 'LIST' THEN size(node[item[0]]) END,
  CASE
    WHEN item[1] STARTS WITH 'STRING' THEN left(node[item[0]], 200)
    WHEN item[1] STARTS WITH 'VECTOR' THEN null
    WHEN item[1] STARTS WITH 'LIST' AND size(node[item[0]]) > $longest_list THEN null
    ELSE node[item[0]]
  END]] AS properties
