// The record of the index: encoder, dimensions, similarity, what its text was made from, counts, kgneo's version.
MATCH (index:KgneoIndex)
RETURN properties(index) AS record
