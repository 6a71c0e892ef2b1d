// Deletes kgneo's own nodes: the record of the index, examples.
MATCH (node)
WHERE any(label IN labels(node) WHERE label STARTS WITH 'Kgneo') AND NOT node:KgneoLoad
CALL (node) {
  DETACH DELETE node
} IN TRANSACTIONS OF 5000 ROWS
