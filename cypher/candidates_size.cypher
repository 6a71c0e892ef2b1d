// How many candidates there are at most: the nodes within N - 1 hops of the topic entities ($entities, element
// ids) and the sum of their degrees. Walks breadth-first, so that the work is linear in the nodes reached.
MATCH (topic) WHERE elementId(topic) IN $entities
MATCH walk = (topic)-[*0../*{depth}*/2]-/*{arrow}*/(node)
WITH DISTINCT node
RETURN count(node) AS nodes, sum(COUNT { (node)-[]-/*{arrow}*/() }) AS degrees
