// A node that a relationship of this type leaves, by its id and its name. $display maps a label to the properties whose
// values make the name of its nodes.
MATCH (subject)-[:`{relation}`]->(object)
WHERE none(label IN labels(subject) + labels(object) WHERE label IN $excluded)
RETURN elementId(subject) AS id, /*{node_name}*/subject.name AS name
LIMIT 1
