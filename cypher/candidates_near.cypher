// The relationships of the nodes within N - 1 hops of the topic entities, the nearest $most (a relationship between two
// of these nodes counts twice), with the distance of the node: what other queries of candidates begin with. A hub's
// relationships are read no further than that.
MATCH (topic) WHERE elementId(topic) IN $entities
MATCH walk = (topic)-[*0../*{depth}*/2]-/*{arrow}*/(node)
WITH node, min(length(walk)) AS depth
ORDER BY depth
MATCH (node)-[r]-/*{arrow}*/()
WITH r, depth
ORDER BY depth
LIMIT $most
RETURN r, depth
