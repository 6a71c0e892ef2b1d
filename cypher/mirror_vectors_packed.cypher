// The embeddings of relationships ($ids), in that order, packed: a tenth of the time, where the server can.
CYPHER 25
UNWIND range(0, size($ids) - 1) AS row
MATCH ()-[r]->() WHERE elementId(r) = $ids[row]
RETURN row, vector(r.kgneo_embedding, $dimensions, FLOAT32) AS vector, r.kgneo_norm AS norm
