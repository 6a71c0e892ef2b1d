// Keeps what was learned from all examples together.
CREATE (:KgneoScorer {scorer: $scorer})
