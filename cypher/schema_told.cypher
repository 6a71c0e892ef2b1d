// What the property $key of relationships of one type says, with the labels that these join: of the first $walked of the
// type, the most frequent first.
MATCH (subject)-[r:`{relation}`]->(object)
WITH subject, r[$key] AS told, object LIMIT $walked
WHERE told IS :: STRING NOT NULL
RETURN told, labels(subject) AS subject, labels(object) AS object, count(*) AS found
ORDER BY found DESC
LIMIT $most
