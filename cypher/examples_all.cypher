// All examples without their embeddings, those of most questions first; $fingerprint null means of any encoder.
MATCH (example:KgneoExample)
WHERE $fingerprint IS NULL OR example.fingerprint = $fingerprint
WITH example
ORDER BY example.count DESC, example.text, example.path
RETURN example {.text, .path, .hops, .question, .entity, .answers, .count} AS example
