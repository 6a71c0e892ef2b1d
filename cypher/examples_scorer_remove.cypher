// Forgets what was learned from all examples together.
MATCH (scorer:KgneoScorer)
DELETE scorer
