// The nodes within N - 1 hops of the topic entities ($entities, element ids), each once, with their distance: what the
// other queries of candidates begin with. Walks breadth-first, so that the work is linear in the nodes reached.
MATCH (topic) WHERE elementId(topic) IN $entities
MATCH walk = (topic)-[*0../*{depth}*/2]-/*{arrow}*/(node)
WITH node, min(length(walk)) AS depth
RETURN node, depth
