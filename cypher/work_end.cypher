// End the transactions $ids.
TERMINATE TRANSACTIONS $ids YIELD message
RETURN message
