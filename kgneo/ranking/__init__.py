"""Ranking: how well relation paths explain a question, by words, vectors and statistics. No database in here."""
