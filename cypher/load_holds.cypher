// What a graph holds besides kgneo's own nodes; no row where that is nothing. `labels` are those of one node.
MATCH (node)
WHERE NOT node:KgneoLoad|KgneoIndex|KgneoExample|KgneoScorer|KgneoLesson|KgneoLearned
RETURN labels(node) AS labels
LIMIT 1
