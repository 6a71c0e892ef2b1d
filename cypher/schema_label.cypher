// Labels and properties of at most $sample nodes of one label that have $key: key, type, length of
// texts and lists, value. Vectors and long lists stay in the database.
MATCH (node:`{label}`)
WHERE node[$key] IS NOT NULL
WITH node LIMIT $sample
WITH node, [key IN keys(node) | [key, valueType(node[key])]] AS typed
RETURN elementId(node) AS id, labels(node) AS labels, [item IN typed | [item[0], item[1],
  CASE WHEN item[1] STARTS WITH 'STRING' OR item[1] STARTS WITH 'LIST' THEN size(node[item[0]]) END,
  CASE
    WHEN item[1] STARTS WITH 'STRING' THEN left(node[item[0]], 200)
    WHEN item[1] STARTS WITH 'VECTOR' THEN null
    WHEN item[1] STARTS WITH 'LIST' AND size(node[item[0]]) > $longest_list THEN null
    ELSE node[item[0]]
  END]] AS properties
