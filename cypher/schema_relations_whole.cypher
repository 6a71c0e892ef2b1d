// All relationships by their type, the labels that they join and their keys: how many, and the ids of at most $sample
// of them, spread evenly in storage order.
MATCH (subject)-[r]->(object)
WITH type(r) AS relation, labels(subject) AS subject, labels(object) AS object, keys(r) AS keys, collect(r) AS joining
WITH relation, subject, object, keys, joining, size(joining) AS found
WITH relation, subject, object, keys, joining, found, CASE WHEN found < $sample THEN found ELSE $sample END AS few
RETURN relation, subject, object, keys, found, [place IN range(0, few - 1) | elementId(joining[place * found / few])] AS ids
