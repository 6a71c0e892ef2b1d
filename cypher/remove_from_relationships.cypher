// Takes kgneo's properties ($keys) off every relationship; $nothing maps each of them to null.
MATCH ()-[r]->()
WHERE any(key IN keys(r) WHERE key IN $keys)
CALL (r) {
  SET r += $nothing
} IN TRANSACTIONS OF 5000 ROWS
