// How many examples an encoder has encoded.
MATCH (example:KgneoExample {fingerprint: $fingerprint})
RETURN count(example) AS examples
