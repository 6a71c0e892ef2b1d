// The property keys that kgneo has used in this database.
CALL db.propertyKeys() YIELD propertyKey
WITH propertyKey AS key
WHERE key STARTS WITH 'kgneo'
RETURN key
