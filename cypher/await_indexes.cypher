// Waits until every index is built, for at most $seconds.
CALL db.awaitIndexes($seconds)
