// Every index that kgneo made, with what it covers.
SHOW INDEXES YIELD name, labelsOrTypes, properties
WHERE name STARTS WITH 'kgneo'
RETURN name, labelsOrTypes AS labels, properties AS keys
ORDER BY name
