// The $shown most frequent values of the property $key, and how many nodes have each, among the first $most nodes of one
// label that have no label of $hidden. Of a list each element counts once for a node, of a time its day. Texts of more
// than $longest_text characters, lists of more than $longest_list elements and vectors stay in the database.
MATCH (node:`{label}`)
WHERE none(label IN labels(node) WHERE label IN $hidden)
WITH node LIMIT $most
WITH node[$key] AS value, valueType(node[$key]) AS type
WITH CASE
    WHEN value IS NULL OR type STARTS WITH 'VECTOR' THEN []
    WHEN type STARTS WITH 'LIST' THEN CASE WHEN size(value) > $longest_list THEN [] ELSE
      reduce(seen = [], item IN value | CASE WHEN item IN seen THEN seen ELSE seen + [item] END) END
    WHEN type STARTS WITH 'STRING' AND size(value) > $longest_text THEN []
    WHEN type STARTS WITH 'LOCAL DATETIME' OR type STARTS WITH 'ZONED DATETIME' THEN [date(value)]
    ELSE [value]
  END AS items
UNWIND items AS item
RETURN item AS value, count(*) AS found
ORDER BY found DESC, value
LIMIT $shown
