// How many candidates there are at most: the nodes within N - 1 hops of the topic entities ($entities, element
// ids) and the sum of their degrees. Walks breadth-first, so that the work is linear in the nodes reached.
/*{candidates_walk}*/ MATCH (node) WHERE elementId(node) IN $entities WITH node, 0 AS depth
RETURN count(node) AS nodes, sum(COUNT { (node)-[]-/*{arrow}*/() }) AS degrees
