// How many nodes a label has, without those that have a label of $excluded.
MATCH (node:`{label}`)
WHERE none(label IN labels(node) WHERE label IN $excluded)
RETURN count(node) AS nodes
