// All lessons: what somebody asked before what was drawn from the graph, those of most questions first.
MATCH (lesson:KgneoLesson)
WITH lesson, coalesce(lesson.source, "") AS source
ORDER BY source, lesson.count DESC, lesson.text, lesson.template
RETURN lesson {.text, .template, .question, .graph, .count, source: source} AS lesson
