// The same of all relationships, by type, with the labels that these join. $told maps a type to the property that tells
// what its relationships are.
MATCH (subject)-[owner]->(object)
WITH owner, [coalesce(owner[$told[type(owner)]], type(owner))] AS owners, labels(subject) + labels(object) AS ends
UNWIND [key IN keys(owner) WHERE key IN $keys] AS key
RETURN owners, ends, key, owner[key] AS value, count(*) AS times, elementId(head(collect(owner))) AS id
