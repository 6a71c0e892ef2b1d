// Removes the lessons of $keys; null means all.
MATCH (lesson:KgneoLesson)
WHERE $keys IS NULL OR lesson.kgneo_key IN $keys
WITH collect(lesson) AS lessons
FOREACH (lesson IN lessons | DELETE lesson)
RETURN size(lessons) AS removed
