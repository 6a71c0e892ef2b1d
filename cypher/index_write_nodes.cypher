// Names and embeddings of values onto their nodes. $rows is a list of {id, properties, vectors}: properties that are null
// are removed, vectors are a list of {key, vector}.
UNWIND $rows AS row
MATCH (node)
WHERE elementId(node) = row.id
SET node += row.properties
WITH node, row
UNWIND row.vectors AS item
CALL db.create.setNodeVectorProperty(node, item.key, item.vector)
RETURN count(*) AS written
