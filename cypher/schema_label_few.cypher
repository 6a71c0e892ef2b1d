// The ids of at most $sample nodes of one label.
MATCH (node:`{label}`)
WITH node LIMIT $sample
RETURN collect(elementId(node)) AS ids
