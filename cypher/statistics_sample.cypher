// How many triples one relation has (from Neo4j's own counters), and the two ends of $sample of them. Nodes with a label
// of $excluded are left out. This is the one part that has to name the relation, and so is planned for each.
MATCH ()-[r:`{relation}`]->()
WITH count(r) AS triples
CALL () {
  MATCH (subject)-[:`{relation}`]->(object)
  WHERE none(label IN labels(subject) + labels(object) WHERE label IN $excluded)
  WITH subject, object
  LIMIT $sample
  RETURN collect([elementId(subject), elementId(object)]) AS ends
}
RETURN triples, ends
