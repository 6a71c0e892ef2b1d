// Whether a node has all of these labels: 1, else 0.
MATCH (node:`{labels}`)
WITH node LIMIT 1
WITH count(node) AS found  // alone: beside a constant, what is counted would be read
RETURN /*{number}*/0 AS number, found
