// The candidates' ids alone, with the hop at which each is first reached: for scoring outside the database.
/*{candidates_near}*/ MATCH (node)-[r]-() WHERE elementId(node) IN $entities WITH r, 1 AS hop LIMIT $most
RETURN elementId(r) AS id, hop
