// The vector index by which the examples that are most like a question are found.
CREATE VECTOR INDEX kgneo_examples IF NOT EXISTS
FOR (example:KgneoExample) ON example.kgneo_embedding
OPTIONS $options
