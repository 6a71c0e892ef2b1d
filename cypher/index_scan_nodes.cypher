// Every node that has a name or values that are triples ($labels, $keys), with what kgneo wrote onto it before: the digest
// of its folded name, those of its values, and the keys whose values are gone.
MATCH (node)
WHERE any(label IN labels(node) WHERE label IN $labels)
  AND none(label IN labels(node) WHERE label IN $excluded)
RETURN elementId(node) AS id, labels(node) AS labels,
       /*{node_name}*/node.name AS name,
       node.kgneo_folded AS folded,
       [key IN keys(node) WHERE key IN $keys | [key, node[key], node['kgneo_digest_' + key]]] AS values,
       [key IN keys(node) WHERE key STARTS WITH 'kgneo_digest_' | substring(key, 13)] AS embedded
