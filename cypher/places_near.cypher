// The nodes of a label by how far they are from the point $here, the nearest first, up to $most (null: however far); where
// a node is, is told as in places_of. Only those of $among count (null: all), and those of $ids, and nodes with a label of $excluded, do not.
MATCH (node:`{label}`)
WHERE NOT elementId(node) IN $ids AND ($among IS NULL OR elementId(node) IN $among)
  AND none(label IN labels(node) WHERE label IN $excluded)
WITH node, toFloatOrNull(node[$latitude]) AS latitude, toFloatOrNull(node[$longitude]) AS longitude
WITH node, coalesce(node[$point], CASE WHEN abs(latitude) <= 90 AND abs(longitude) <= 180
  THEN point({latitude: latitude, longitude: longitude}) END) AS place
WITH node, point.distance(place, $here) AS distance
WHERE distance <= coalesce($most, distance)
RETURN elementId(node) AS id, distance
ORDER BY distance, id
LIMIT $limit
