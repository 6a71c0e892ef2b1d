// Keeps what was learned from all lessons together.
CREATE (:KgneoLearned {learned: $learned})
