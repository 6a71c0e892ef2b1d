// Where the nodes $ids are: the point in the property $point, or the one that the numbers $latitude and $longitude make.
MATCH (node) WHERE elementId(node) IN $ids AND none(label IN labels(node) WHERE label IN $excluded)
WITH node, toFloatOrNull(node[$latitude]) AS latitude, toFloatOrNull(node[$longitude]) AS longitude
RETURN elementId(node) AS id, coalesce(node[$point], CASE WHEN abs(latitude) <= 90 AND abs(longitude) <= 180
  THEN point({latitude: latitude, longitude: longitude}) END) AS place
