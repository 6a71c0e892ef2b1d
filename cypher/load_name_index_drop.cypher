// The index on names goes before a name arrives that is too long for it; kgneo itself looks names up by digest.
DROP INDEX kgneo_entity_name IF EXISTS
