// Loading, second half of a batch: the triples of one relation, grouped by subject.
// $rows is a list of {subject, objects} of name digests. MERGE makes loading twice change nothing.
UNWIND $rows AS row
MATCH (subject:Entity {kgneo_key: row.subject})
UNWIND row.objects AS key
MATCH (object:Entity {kgneo_key: key})
MERGE (subject)-[:`{relation}`]->(object)
