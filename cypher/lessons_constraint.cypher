// Every lesson is found by the digest of its text and template.
CREATE CONSTRAINT kgneo_lesson_key IF NOT EXISTS
FOR (lesson:KgneoLesson) REQUIRE lesson.kgneo_key IS UNIQUE
