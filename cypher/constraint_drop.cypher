// Removes a constraint of kgneo's.
DROP CONSTRAINT `{name}` IF EXISTS
