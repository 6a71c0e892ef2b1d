// All nodes by their labels and keys: how many, and the ids of at most $sample of them, spread evenly in storage order.
MATCH (node)
WITH labels(node) AS labels, keys(node) AS keys, collect(node) AS nodes
WITH labels, keys, nodes, size(nodes) AS found
WITH labels, keys, nodes, found, CASE WHEN found < $sample THEN found ELSE $sample END AS few
RETURN labels, keys, found, [place IN range(0, few - 1) | elementId(nodes[place * found / few])] AS ids
