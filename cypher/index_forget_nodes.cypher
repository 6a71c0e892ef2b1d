// The same for nodes that have no label of $labels, or one of $excluded: $nothing maps every property that kgneo writes
// onto nodes to null.
MATCH (node)
WHERE (NOT any(label IN labels(node) WHERE label IN $labels) OR any(label IN labels(node) WHERE label IN $excluded))
  AND any(key IN keys(node) WHERE key STARTS WITH 'kgneo_')
  AND none(label IN labels(node) WHERE label STARTS WITH 'Kgneo')
CALL (node) {
  SET node += $nothing
} IN TRANSACTIONS OF 5000 ROWS
