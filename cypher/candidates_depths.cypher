// Which of $nodes are within N - 1 hops of the topic entities, and how far: a triple that touches one is a candidate.
/*{candidates_walk}*/ MATCH (node) WHERE elementId(node) IN $entities WITH node, 0 AS depth
WITH elementId(node) AS node, depth
WHERE node IN $nodes
RETURN collect([node, depth]) AS depths
