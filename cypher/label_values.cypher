// The nodes of one label that have a property, with its value. $display maps a label to the properties whose values make
// the name of its nodes; those with a label of $excluded are left out.
MATCH (node:`{label}`)
WHERE node.`{key}` IS NOT NULL
  AND none(label IN labels(node) WHERE label IN $excluded)
RETURN elementId(node) AS id, node.`{key}` AS value,
       /*{shown_name}*/node.name AS name
ORDER BY name
LIMIT $limit
