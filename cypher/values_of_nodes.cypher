// The values of some properties of all nodes, by the labels of these: how many nodes have each, and the id of one.
MATCH (owner)
WITH owner, labels(owner) AS owners
UNWIND [key IN keys(owner) WHERE key IN $keys] AS key
RETURN owners, [] AS ends, key, owner[key] AS value, count(*) AS times, elementId(head(collect(owner))) AS id
