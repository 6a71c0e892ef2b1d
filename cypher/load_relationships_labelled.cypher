// The same for a relation that is spelt as a code: $label says what it means, and goes onto the relationships.
UNWIND $rows AS row
MATCH (subject:Entity {kgneo_key: row.subject})
UNWIND row.objects AS key
MATCH (object:Entity {kgneo_key: key})
MERGE (subject)-[r:`{relation}`]->(object)
SET r.label = $label
