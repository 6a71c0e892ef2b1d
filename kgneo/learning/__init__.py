"""Learning: from labelled questions to what a graph teaches."""
