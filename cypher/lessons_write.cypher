// Lessons. $rows is a list of {key, fields}; one of the same key is replaced.
UNWIND $rows AS row
MERGE (lesson:KgneoLesson {kgneo_key: row.key})
ON CREATE SET lesson.source = row.fields.source
WITH lesson, row, coalesce(lesson.count, 0) AS count, coalesce(lesson.source, "") AS source
SET lesson += row.fields
SET lesson.count = CASE WHEN count > row.fields.count THEN count ELSE row.fields.count END
SET lesson.source = CASE WHEN source < row.fields.source THEN source ELSE row.fields.source END
