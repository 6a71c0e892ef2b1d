// The same for nodes, those of kgneo's own left out.
MATCH (node)
WHERE any(key IN keys(node) WHERE key IN $keys) AND none(label IN labels(node) WHERE label STARTS WITH 'Kgneo')
CALL (node) {
  SET node += $nothing
} IN TRANSACTIONS OF 5000 ROWS
