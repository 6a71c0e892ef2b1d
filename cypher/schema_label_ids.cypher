// The ids of the first and of the last $part nodes of one label, in storage order.
MATCH (node:`{label}`)
WITH node ORDER BY node LIMIT $part
WITH collect(elementId(node)) AS first
MATCH (node:`{label}`)
WITH first, node ORDER BY node DESC LIMIT $part
RETURN first, collect(elementId(node)) AS last
