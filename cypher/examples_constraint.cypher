// Every example is found by the digest of its masked text and path.
CREATE CONSTRAINT kgneo_example_key IF NOT EXISTS
FOR (example:KgneoExample) REQUIRE example.kgneo_key IS UNIQUE
