// What was learned from all examples together.
MATCH (scorer:KgneoScorer)
RETURN scorer.scorer AS scorer
