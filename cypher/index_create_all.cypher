// One vector index over all relationship types.
CYPHER 25 CREATE VECTOR INDEX `{name}` IF NOT EXISTS
FOR ()-[r:`{relations}`]-() ON r.kgneo_embedding
OPTIONS $options
