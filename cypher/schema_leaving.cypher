// How many relationships of one type leave the nodes of one label (from Neo4j's own counters).
MATCH (:`{label}`)-[r:`{relation}`]->()
WITH count(r) AS found  // alone: beside a constant, what is counted would be read
RETURN /*{number}*/0 AS number, found
