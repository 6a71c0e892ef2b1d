// The relationships of the nodes within N - 1 hops of the topic entities, each once, with the hop at which it is first
// reached, the nearest $most of them: what other queries of candidates begin with. A hub's relationships are read no
// further than twice as many, since one between two of the nodes is met at both.
MATCH (topic) WHERE elementId(topic) IN $entities
MATCH walk = (topic)-[*0../*{depth}*/2]-/*{arrow}*/(node)
WITH node, min(length(walk)) AS depth
ORDER BY depth
MATCH (node)-[r]-/*{arrow}*/()
WITH r, depth
ORDER BY depth
LIMIT 2 * $most
WITH r, min(depth) + 1 AS hop
ORDER BY hop
LIMIT $most
RETURN r, hop
