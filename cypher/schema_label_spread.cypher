// The same as for one label, of at most $sample nodes that have one of these ids, and the label $name
// where one is given.
UNWIND $ids AS id
MATCH (node)
WHERE elementId(node) = id AND ($name IS NULL OR $name IN labels(node))
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
