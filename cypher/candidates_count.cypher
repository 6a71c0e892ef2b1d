// The candidates by hop: each triple is counted at the hop at which it is first reached from a topic entity.
MATCH (topic) WHERE elementId(topic) IN $entities
MATCH walk = (topic)-[*0../*{depth}*/2]-/*{arrow}*/(node)
WITH node, min(length(walk)) AS depth
MATCH (node)-[r]-/*{arrow}*/()
WITH r, min(depth) + 1 AS hop
RETURN hop, count(r) AS triples
ORDER BY hop
