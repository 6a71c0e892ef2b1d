// All nodes: how many have which labels, in all (key null) and with each property.
MATCH (node)
UNWIND [null] + keys(node) AS key
RETURN labels(node) AS labels, key, count(*) AS found
