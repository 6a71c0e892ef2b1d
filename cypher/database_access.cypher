// Whether this database may be written to at all.
SHOW DATABASES YIELD name, access, home
WHERE name = $database OR ($database IS NULL AND home)
RETURN access
