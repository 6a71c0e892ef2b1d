// The full-text and vector indexes over nodes that a graph has of its own, and that can be asked.
SHOW INDEXES YIELD name, type, entityType, state, labelsOrTypes, properties, options
WHERE entityType = 'NODE' AND state = 'ONLINE' AND type IN ['FULLTEXT', 'VECTOR'] AND NOT name STARTS WITH 'kgneo'
RETURN name, type, labelsOrTypes AS labels, properties AS keys,
       options.indexConfig['vector.dimensions'] AS dimensions
ORDER BY name
