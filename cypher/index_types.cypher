// The relationship types that carry embeddings or could.
CALL db.relationshipTypes() YIELD relationshipType
RETURN relationshipType AS relation
ORDER BY relation
