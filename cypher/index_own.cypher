// Every index that kgneo made, with what it covers and how far it is built.
SHOW INDEXES YIELD name, labelsOrTypes, properties, state, populationPercent
WHERE name STARTS WITH 'kgneo'
RETURN name, labelsOrTypes AS labels, properties AS keys, state, populationPercent AS percent
ORDER BY name
