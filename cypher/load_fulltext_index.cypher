// Entities by words of their names, for names that are not quite those of the graph. All words count: the
// analyzer leaves no stop words out, since "It" and "The Who" are names.
CREATE FULLTEXT INDEX kgneo_entity_words IF NOT EXISTS
FOR (entity:Entity) ON EACH [entity.name]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}}
