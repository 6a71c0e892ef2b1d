// All lessons, those of most questions first.
MATCH (lesson:KgneoLesson)
WITH lesson
ORDER BY lesson.count DESC, lesson.text, lesson.template
RETURN lesson {.text, .template, .question, .graph, .count} AS lesson
