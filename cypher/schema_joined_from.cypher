// At most $sample relationships of one type that leave nodes of one label, of which at most $walked are walked.
MATCH (subject:`{label}`)
WITH subject LIMIT $walked
MATCH (subject)-[r:`{relation}`]->(object)
WITH subject, r, object LIMIT $sample
RETURN elementId(r) AS id, labels(subject) AS subject, labels(object) AS object
