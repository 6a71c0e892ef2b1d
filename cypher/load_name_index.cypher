// An index for queries that people write: MATCH (e:Entity {name: "…"}). Only where every name fits into it.
CREATE INDEX kgneo_entity_name IF NOT EXISTS
FOR (entity:Entity) ON (entity.name)
