// How far the values of the property $key reach, among the first $most nodes of one label that have no label of $hidden:
// how many nodes were looked at, how many have it, the least and the greatest number, and the first and the last day.
MATCH (node:`{label}`)
WHERE none(label IN labels(node) WHERE label IN $hidden)
WITH node LIMIT $most
WITH node[$key] AS value, valueType(node[$key]) AS type
WITH value,
  CASE WHEN type STARTS WITH 'INTEGER' THEN value
       WHEN type STARTS WITH 'FLOAT' THEN CASE WHEN isNaN(value) THEN null ELSE value END END AS number,
  CASE WHEN type STARTS WITH 'DATE' THEN value
       WHEN type STARTS WITH 'LOCAL DATETIME' OR type STARTS WITH 'ZONED DATETIME' THEN date(value) END AS day
RETURN count(*) AS looked, count(value) AS having,
       min(number) AS least, max(number) AS greatest, min(day) AS first, max(day) AS last
