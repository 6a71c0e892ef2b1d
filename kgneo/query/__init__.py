"""Query graphs: what a question means, checked, compiled to Cypher, in words. No database and no model in here."""
