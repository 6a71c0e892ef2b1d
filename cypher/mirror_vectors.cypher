// The embeddings of relationships ($ids), in that order, as lists of numbers.
UNWIND range(0, size($ids) - 1) AS row
MATCH ()-[r]->() WHERE elementId(r) = $ids[row]
RETURN row, r.kgneo_embedding AS vector, r.kgneo_norm AS norm
