// The transactions that run for the piece of work with the mark $mark, which kgneo writes into their metadata.
SHOW TRANSACTIONS YIELD transactionId AS id, metaData AS about
WHERE about.kgneo_work = $mark
RETURN id
