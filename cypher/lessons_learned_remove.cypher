// Forgets what was learned from all lessons together.
MATCH (learned:KgneoLearned)
DELETE learned
