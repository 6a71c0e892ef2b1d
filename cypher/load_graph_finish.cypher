// Loading a property graph, at its end: its nodes lose what they were found by.
MATCH (node:KgneoLoading)
CALL (node) {
  REMOVE node:KgneoLoading
  SET node.kgneo_id = null
} IN TRANSACTIONS OF 10000 ROWS
