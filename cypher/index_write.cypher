// Embeddings onto their relationships. $rows is a list of {id, vector, digest, norm}; norm only for encoders
// that compare by dot product, since the database compares by angle.
UNWIND $rows AS row
MATCH ()-[r]->()
WHERE elementId(r) = row.id
CALL db.create.setRelationshipVectorProperty(r, 'kgneo_embedding', row.vector)
SET r.kgneo_digest = row.digest, r.kgneo_norm = row.norm
