// Whether kgneo loaded this graph: then it has the constraint on entities.
SHOW CONSTRAINTS YIELD name
WHERE name = 'kgneo_entity_key'
RETURN name
