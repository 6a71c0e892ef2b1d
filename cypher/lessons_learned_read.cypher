// What was learned from all lessons together.
MATCH (learned:KgneoLearned)
RETURN learned.learned AS learned
