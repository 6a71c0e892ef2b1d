// How many of the first $most nodes of one label that have no label of $hidden have a value of the property $key from
// each of the numbers or days $edges on, up to the next; a time counts as its day.
MATCH (node:`{label}`)
WHERE none(label IN labels(node) WHERE label IN $hidden)
WITH node LIMIT $most
WITH node[$key] AS value, valueType(node[$key]) AS type
WITH CASE WHEN type STARTS WITH 'LOCAL DATETIME' OR type STARTS WITH 'ZONED DATETIME' THEN date(value) ELSE value END AS value
WITH size([edge IN $edges WHERE value >= edge]) AS place
WHERE place > 0
RETURN place - 1 AS bin, count(*) AS found
