// The candidates' ids alone, with the hop at which each is first reached: for scoring outside the database.
/*{candidates_walk}*/ MATCH (node) WHERE elementId(node) IN $entities WITH node, 0 AS depth
MATCH (node)-[r]-/*{arrow}*/()
RETURN elementId(r) AS id, min(depth) + 1 AS hop
