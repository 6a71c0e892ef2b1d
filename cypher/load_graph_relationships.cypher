// Loading a property graph: the relationships of one type in a batch. $rows is a list of {start, end, properties}, ends
// by the digests of their ids.
UNWIND $rows AS row
MATCH (start:KgneoLoading {kgneo_id: row.start})
MATCH (end:KgneoLoading {kgneo_id: row.end})
CREATE (start)-[r:`{relation}`]->(end)
SET r = row.properties
