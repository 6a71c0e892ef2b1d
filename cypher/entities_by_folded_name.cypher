// Loaded entities whose names differ at most in case, accents and blanks: $keys are digests of folded names.
UNWIND $keys AS key
MATCH (entity:Entity {kgneo_folded: key})
RETURN key, elementId(entity) AS id, entity.name AS name, labels(entity) AS labels, COUNT { (entity)--() } AS degree
ORDER BY degree DESC, name
LIMIT $limit
