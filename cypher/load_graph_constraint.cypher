// While a property graph is loaded, its nodes are found by the digest of their id; both go at the end.
CREATE CONSTRAINT kgneo_loading IF NOT EXISTS
FOR (node:KgneoLoading) REQUIRE node.kgneo_id IS UNIQUE
