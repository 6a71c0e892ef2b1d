// Which of $nodes are within N - 1 hops of the topic entities, and how far: a triple that touches one is a candidate.
MATCH (topic) WHERE elementId(topic) IN $entities
MATCH walk = (topic)-[*0../*{depth}*/2]-/*{arrow}*/(node)
WITH elementId(node) AS node, min(length(walk)) AS depth
WHERE node IN $nodes
RETURN collect([node, depth]) AS depths
