// The candidates' ids alone, with the hop at which each is first reached: for scoring outside the database.
MATCH (topic) WHERE elementId(topic) IN $entities
MATCH walk = (topic)-[*0../*{depth}*/2]-/*{arrow}*/(node)
WITH node, min(length(walk)) AS depth
MATCH (node)-[r]-/*{arrow}*/()
RETURN elementId(r) AS id, min(depth) + 1 AS hop
