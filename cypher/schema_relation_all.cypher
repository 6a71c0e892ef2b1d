// All relationships of one type: how many join nodes of which labels, in all (key null) and with each property.
MATCH (subject)-[r:`{relation}`]->(object)
UNWIND [null] + keys(r) AS key
RETURN labels(subject) AS subject, labels(object) AS object, key, count(*) AS found
