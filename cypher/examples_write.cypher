// Examples with their embeddings. $rows is a list of {key, vector, fields}; one of the same key is replaced.
UNWIND $rows AS row
MERGE (example:KgneoExample {kgneo_key: row.key})
WITH example, row, coalesce(example.count, 0) AS count
SET example += row.fields
SET example.count = CASE WHEN count > row.fields.count THEN count ELSE row.fields.count END,
    example.fingerprint = $fingerprint
WITH example, row
CALL db.create.setNodeVectorProperty(example, 'kgneo_embedding', row.vector)
