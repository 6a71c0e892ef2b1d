// Every loaded entity is found by the digest of its name: a name of any length fits, which no index on the name would allow.
CREATE CONSTRAINT kgneo_entity_key IF NOT EXISTS
FOR (entity:Entity) REQUIRE entity.kgneo_key IS UNIQUE
