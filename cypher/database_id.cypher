// What tells this database from every other one.
CALL db.info() YIELD id
RETURN id
