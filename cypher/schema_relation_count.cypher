// How many relationships of one type there are (from Neo4j's own counters).
MATCH ()-[r:`{relation}`]->()
RETURN count(r) AS found
