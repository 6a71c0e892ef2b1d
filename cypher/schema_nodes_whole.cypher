// All nodes by their labels: how many, and the ids of at most $sample of them, spread evenly in storage order.
MATCH (node)
WITH labels(node) AS labels, collect(node) AS nodes
WITH labels, nodes, size(nodes) AS found
WITH labels, nodes, found, CASE WHEN found < $sample THEN found ELSE $sample END AS few
RETURN labels, found, [place IN range(0, few - 1) | elementId(nodes[place * found / few])] AS ids
