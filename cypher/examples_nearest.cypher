// The examples that are most like each of $vectors.
UNWIND range(0, size($vectors) - 1) AS number
CALL db.index.vector.queryNodes($index, $limit, $vectors[number]) YIELD node AS example, score
WHERE example.fingerprint = $fingerprint
RETURN number, score, example {.text, .path, .hops, .question, .entity, .answers, .count} AS example
ORDER BY number, score DESC
