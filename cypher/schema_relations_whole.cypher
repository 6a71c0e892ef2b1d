// All relationships by their type and the labels that they join: how many, and the ids of at most $sample of them,
// spread evenly in storage order.
MATCH (subject)-[r]->(object)
WITH type(r) AS relation, labels(subject) AS subject, labels(object) AS object, collect(r) AS joining
WITH relation, subject, object, joining, size(joining) AS found
WITH relation, subject, object, joining, found, CASE WHEN found < $sample THEN found ELSE $sample END AS few
RETURN relation, subject, object, found, [place IN range(0, few - 1) | elementId(joining[place * found / few])] AS ids
