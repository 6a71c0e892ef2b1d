// The version of Graph Data Science; an error where the server has none.
CALL gds.version() YIELD gdsVersion
RETURN gdsVersion AS version
