// Loading: whether some name is too long ($longest characters) for an index on names.
MATCH (entity:Entity)
WHERE size(entity.name) > $longest
RETURN 1 AS found
LIMIT 1
