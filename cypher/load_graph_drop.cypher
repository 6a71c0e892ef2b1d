// Loading a property graph, at its end: its constraint goes.
DROP CONSTRAINT kgneo_loading IF EXISTS
