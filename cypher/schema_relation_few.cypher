// The ids of at most $sample relationships of one type.
MATCH ()-[r:`{relation}`]->()
WITH r LIMIT $sample
RETURN collect(elementId(r)) AS ids
