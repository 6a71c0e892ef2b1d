// Removes what examples_constraint.cypher made.
DROP CONSTRAINT kgneo_example_key IF EXISTS
