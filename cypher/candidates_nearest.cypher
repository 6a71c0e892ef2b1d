// The triples of the whole graph that are nearest to the question, from the vector index over all types.
CYPHER 25
MATCH ()-[r]->()
  SEARCH r IN (VECTOR INDEX `{index}` FOR $vector LIMIT $limit) SCORE AS similarity
WITH r, (2 * vector.similarity.cosine(r.kgneo_embedding, $vector) - 1) * coalesce(r.kgneo_norm, 1.0) * $norm AS score
RETURN collect([elementId(r), elementId(startNode(r)), elementId(endNode(r)), score]) AS hits
