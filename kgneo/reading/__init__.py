"""Reading: from the words of a question to query graphs, best first. No database and no language model in here."""
