// What one relation leads to, in both directions, from the ends of a sample of its relationships ($ends, pairs of element
// ids that statistics_sample gives): the nodes reached (their labels, some names, how many), from how many nodes, and by
// which relations one can go on from there. Going back the way one came counts only where there is another
// relationship to go back by. Relations that are not in $relations (null: all are) are left out.
UNWIND $ends AS pair
MATCH (subject) WHERE elementId(subject) = pair[0]
MATCH (object) WHERE elementId(object) = pair[1]
UNWIND [true, false] AS forward
WITH forward, CASE WHEN forward THEN object ELSE subject END AS node,
     CASE WHEN forward THEN subject ELSE object END AS source
WITH forward, node, count(DISTINCT source) AS sources
CALL (node) {
  MATCH (node)-[next]-()
  WHERE $relations IS NULL OR type(next) IN $relations
  WITH node, next LIMIT 2000
  WITH type(next) AS relation, startNode(next) = node AS outgoing, count(*) AS times
  RETURN collect({relation: relation, outgoing: outgoing, times: times}) AS onward
}
WITH forward, count(node) AS nodes, sum(sources) AS steps,
     collect({labels: labels(node), onward: onward}) AS reached,
     collect(/*{shown_name}*/node.name)[..$names] AS names
// Each list is taken apart on its own: it would be compared with itself for every step, were it among what is grouped by.
CALL (reached) {
  UNWIND reached AS item
  UNWIND item.onward AS step
  WITH step.relation AS relation, step.outgoing AS outgoing, max(step.times) AS times, count(*) AS nodes
  RETURN collect({relation: relation, outgoing: outgoing, times: times, nodes: nodes}) AS onward
}
CALL (reached) {
  UNWIND reached AS item
  UNWIND item.labels AS label
  WITH label, count(*) AS nodes
  RETURN collect({label: label, nodes: nodes}) AS labels
}
RETURN forward, nodes, steps, names, onward, labels
