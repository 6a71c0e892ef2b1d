// The ids of at most $sample nodes of one label.
MATCH (node:`{label}`)
WITH node LIMIT $sample
WITH collect(elementId(node)) AS ids
RETURN /*{number}*/0 AS number, ids
