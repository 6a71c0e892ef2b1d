// Loading, first half of a batch: entities, those of one set of labels at a time (`Entity` is always among them).
// $entities is a list of {key, folded, name}: digests of the name and of the folded name, and the name.
UNWIND $entities AS row
MERGE (entity:Entity {kgneo_key: row.key})
ON CREATE SET entity.name = row.name, entity.kgneo_folded = row.folded
SET entity:`{labels}`
