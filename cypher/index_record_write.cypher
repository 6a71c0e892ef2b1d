// The record of the index; $record holds its properties.
MERGE (index:KgneoIndex)
SET index = $record
