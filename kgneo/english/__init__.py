"""English: the words of questions and of names in a graph. No database and no model in here."""
