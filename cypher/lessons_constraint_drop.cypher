// Removes what lessons_constraint.cypher made.
DROP CONSTRAINT kgneo_lesson_key IF EXISTS
