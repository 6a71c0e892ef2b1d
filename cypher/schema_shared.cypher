// Of at most $sample relationships of one type between two nodes that share a label, among the first $walked of the
// type: for how many both ends lead by a type, in one direction, to the same node of another label, and for how many
// ends that do not belong together. A node has $neighbours at most.
MATCH (subject)-[:`{relation}`]->(object)
WITH subject, object LIMIT $walked
WHERE subject <> object AND any(label IN labels(subject) WHERE label IN labels(object))
WITH subject, object LIMIT $sample
WITH collect([subject, object]) AS pairs
UNWIND range(0, size(pairs) - 1) AS number
WITH size(pairs) AS looked, pairs[number][0] AS subject, pairs[number][1] AS object,
     pairs[(number + size(pairs) / 2) % size(pairs)][1] AS other
CALL (subject, object, other) {
  MATCH (subject)-[way]-(shared)
  WHERE none(label IN labels(shared) WHERE label IN labels(subject))
  WITH subject, object, other, way, shared LIMIT $neighbours
  WITH type(way) AS type, startNode(way) = subject AS forward, labels(shared) AS labels,
       EXISTS { (object)-[back]-(shared) WHERE type(back) = type(way) AND (endNode(back) = shared) = (endNode(way) = shared) } AS together,
       EXISTS { (other)-[back]-(shared) WHERE type(back) = type(way) AND (endNode(back) = shared) = (endNode(way) = shared) } AS apart
  RETURN type, forward, labels, max(CASE WHEN together THEN 1 ELSE 0 END) AS together,
         max(CASE WHEN apart THEN 1 ELSE 0 END) AS apart
}
RETURN type, forward, labels, sum(together) AS together, sum(apart) AS apart, looked
