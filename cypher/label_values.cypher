// The nodes of one label that have a property, with its value. $display maps a label to the properties whose values make
// the name of its nodes; those with a label of $excluded are left out.
MATCH (node:`{label}`)
WHERE node.`{key}` IS NOT NULL
  AND none(label IN labels(node) WHERE label IN $excluded)
RETURN elementId(node) AS id, node.`{key}` AS value,
       coalesce(head([label IN labels(node) WHERE any(key IN $display[label] WHERE node[key] IS NOT NULL) |
         substring(reduce(name = '', key IN [key IN $display[label] WHERE node[key] IS NOT NULL] | name + ' ' + toStringOrNull(node[key])), 1)]), elementId(node)) AS name
ORDER BY name
LIMIT $limit
