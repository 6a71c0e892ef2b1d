// Takes embeddings away from relationships that are no longer used: of other types than $relations (null: all are used),
// or at a node with a label of $excluded.
MATCH (subject)-[r]->(object)
WHERE r.kgneo_digest IS NOT NULL
  AND (NOT ($relations IS NULL OR type(r) IN $relations)
    OR any(label IN labels(subject) + labels(object) WHERE label IN $excluded))
CALL (r) {
  REMOVE r.kgneo_embedding, r.kgneo_digest, r.kgneo_norm
} IN TRANSACTIONS OF 5000 ROWS
