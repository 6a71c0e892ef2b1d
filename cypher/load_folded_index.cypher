// Entities by the digest of their name without regard to case and accents.
CREATE INDEX kgneo_entity_folded IF NOT EXISTS
FOR (entity:Entity) ON (entity.kgneo_folded)
