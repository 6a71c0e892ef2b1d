// The dimensions that the index over the examples was made for.
SHOW VECTOR INDEXES YIELD name, options
WHERE name = $name
RETURN name, options.indexConfig['vector.dimensions'] AS dimensions
