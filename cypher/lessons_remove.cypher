// Removes the lessons of $keys and of $source; null means all.
MATCH (lesson:KgneoLesson)
WHERE ($keys IS NULL OR lesson.kgneo_key IN $keys) AND ($source IS NULL OR lesson.source = $source)
WITH collect(lesson) AS lessons
FOREACH (lesson IN lessons | DELETE lesson)
RETURN size(lessons) AS removed
