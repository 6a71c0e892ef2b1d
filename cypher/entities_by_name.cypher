// Loaded entities by their exact names: $keys are the digests of the names.
UNWIND $keys AS key
MATCH (entity:Entity {kgneo_key: key})
RETURN elementId(entity) AS id, entity.name AS name, labels(entity) AS labels, COUNT { (entity)--() } AS degree
