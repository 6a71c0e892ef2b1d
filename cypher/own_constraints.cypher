// Every constraint that kgneo made.
SHOW CONSTRAINTS YIELD name
WHERE name STARTS WITH 'kgneo'
RETURN name
ORDER BY name
