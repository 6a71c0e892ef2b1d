// Where the server says that its HTTP ports are, on which it may serve Neo4j Browser.
SHOW SETTINGS YIELD name, value
WHERE name IN ['server.http.enabled', 'server.http.advertised_address', 'server.https.enabled', 'server.https.advertised_address']
RETURN name, value
