// Deletes kgneo's own nodes: the record of the index, examples. What loading needs stays, and so do nodes of the user's
// that are being loaded.
MATCH (node)
WHERE any(label IN labels(node) WHERE label STARTS WITH 'Kgneo') AND NOT node:KgneoLoad|KgneoLoading
CALL (node) {
  DETACH DELETE node
} IN TRANSACTIONS OF 5000 ROWS
