// The nodes of one label with the greatest value of a property, or with the least ($greatest); numbers that are written
// as text count as numbers. $display maps a label to the properties whose values make the name of its nodes; those with a label of $excluded are left out.
MATCH (node:`{label}`)
WHERE node.`{key}` IS NOT NULL
  AND none(label IN labels(node) WHERE label IN $excluded)
WITH coalesce(toFloatOrNull(node.`{key}`), node.`{key}`) AS size
WITH max(size) AS greatest, min(size) AS least
MATCH (node:`{label}`)
WHERE coalesce(toFloatOrNull(node.`{key}`), node.`{key}`) = CASE WHEN $greatest THEN greatest ELSE least END
  AND none(label IN labels(node) WHERE label IN $excluded)
RETURN elementId(node) AS id, node.`{key}` AS value,
       /*{shown_name}*/node.name AS name
ORDER BY name
LIMIT $limit
