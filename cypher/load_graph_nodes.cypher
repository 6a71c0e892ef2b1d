// Loading a property graph: the nodes of one set of labels in a batch. $rows is a list of {id, properties}.
UNWIND $rows AS row
CREATE (node:`{labels}`)
SET node = row.properties, node.kgneo_id = row.id
