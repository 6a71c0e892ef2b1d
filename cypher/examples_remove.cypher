// Removes the examples of $keys; null means all.
MATCH (example:KgneoExample)
WHERE $keys IS NULL OR example.kgneo_key IN $keys
WITH collect(example) AS examples
FOREACH (example IN examples | DELETE example)
RETURN size(examples) AS removed
