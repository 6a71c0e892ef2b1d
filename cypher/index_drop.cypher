// Removes an index of kgneo's.
DROP INDEX `{name}` IF EXISTS
