// Loaded entities whose names hold words like those of $words (a Lucene query), best first.
CALL db.index.fulltext.queryNodes('kgneo_entity_words', $words, {limit: $limit}) YIELD node AS entity, score
RETURN elementId(entity) AS id, entity.name AS name, labels(entity) AS labels, score, COUNT { (entity)--() } AS degree
ORDER BY score DESC, name
