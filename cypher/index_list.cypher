// kgneo's vector indexes and how far they are built.
SHOW VECTOR INDEXES YIELD name, state, populationPercent, labelsOrTypes, options
WHERE name STARTS WITH 'kgneo_triples'
RETURN name, state, populationPercent AS percent, labelsOrTypes AS relations,
       options.indexConfig['vector.dimensions'] AS dimensions
