// The ids of at most $sample relationships of one type.
MATCH ()-[r:`{relation}`]->()
WITH r LIMIT $sample
WITH collect(elementId(r)) AS ids
RETURN /*{number}*/0 AS number, ids
