// Of at most $sample relationships of one type between two nodes that share a label, among the first $walked of the
// type: for how many there is one of the type back.
MATCH (subject)-[:`{relation}`]->(object)
WITH subject, object LIMIT $walked
WHERE subject <> object AND any(label IN labels(subject) WHERE label IN labels(object))
WITH subject, object LIMIT $sample
RETURN count(*) AS looked, count(CASE WHEN EXISTS { (object)-[:`{relation}`]->(subject) } THEN 1 END) AS back
