// kgneo's vector indexes and what they cover.
SHOW VECTOR INDEXES YIELD name, labelsOrTypes, options
WHERE name STARTS WITH 'kgneo_triples'
RETURN name, labelsOrTypes AS relations,
       options.indexConfig['vector.dimensions'] AS dimensions
