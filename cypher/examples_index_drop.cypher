// Removes the index over the examples.
DROP INDEX kgneo_examples IF EXISTS
