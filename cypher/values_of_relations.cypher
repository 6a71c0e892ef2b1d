// The same of all relationships, by type, with the labels that these join.
MATCH (subject)-[owner]->(object)
WITH owner, [type(owner)] AS owners, labels(subject) + labels(object) AS ends
UNWIND [key IN keys(owner) WHERE key IN $keys] AS key
RETURN owners, ends, key, owner[key] AS value, count(*) AS times, elementId(head(collect(owner))) AS id
