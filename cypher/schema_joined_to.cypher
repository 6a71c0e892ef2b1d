// At most $sample relationships of one type that reach nodes of one label, of which at most $walked are walked.
MATCH (object:`{label}`)
WITH object LIMIT $walked
MATCH (object)<-[r:`{relation}`]-(subject)
WITH subject, r, object LIMIT $sample
RETURN elementId(r) AS id, labels(subject) AS subject, labels(object) AS object
