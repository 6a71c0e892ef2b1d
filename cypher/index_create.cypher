// One vector index over the relationships of one type (what 5.26 can; also a form that every version accepts).
CREATE VECTOR INDEX `{name}` IF NOT EXISTS
FOR ()-[r:`{relation}`]-() ON r.kgneo_embedding
OPTIONS $options
