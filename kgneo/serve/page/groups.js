// Which nodes of a picture are drawn as one, with their number: what nobody could read one by one.
//
// More than 30 leaves that hang on one node by one relation are a group. Where a picture would still have more than 400
// nodes, so are more than 30 nodes that were come to in the same way from what was asked about: "1,000 films".

const LEAVES = 30;
const NODES = 400;

// {triples, groups: name of a group → names in it}; a group that was `opened` is none. `roles` and `kinds` give what a node
// is in the answer, and its label: nodes of a group have the same.
export function grouped(triples, opened, roles, kinds) {
  const groups = new Map();
  const fewer = merged(triples, leaves(triples, opened), groups);
  if (new Set(fewer.flatMap((item) => [item.subject, item.object])).size <= NODES) return { triples: fewer, groups };
  return { triples: merged(fewer, alike(fewer, opened, groups, roles, kinds), groups), groups };
}

// The triples with groups in the place of their nodes, each once. `sets`: name of a group → names in it.
function merged(triples, sets, groups) {
  const group = new Map();
  for (const [key, names] of sets) {
    groups.set(key, names.flatMap((name) => groups.get(name) || [name]));
    for (const name of names) { group.set(name, key); groups.delete(name); }
  }
  const found = new Map();
  for (const triple of triples) {
    const [subject, object] = [triple.subject, triple.object].map((name) => group.get(name) || name);
    const one = subject === triple.subject && object === triple.object ? triple : { ...triple, subject, object, detail: "" };
    found.set(JSON.stringify([subject, triple.relation, one.detail, object]), one);
  }
  return [...found.values()];
}

const large = (sets, opened) => new Map([...sets].filter(([key, names]) => names.length > LEAVES && !opened.has(key)));

const put = (map, key, value) => (map.has(key) ? map.get(key).push(value) : map.set(key, [value]));

function leaves(triples, opened) {
  const degree = new Map();
  for (const { subject, object } of triples) for (const name of [subject, object]) degree.set(name, (degree.get(name) || 0) + 1);
  const sets = new Map();
  for (const { subject, relation, object } of triples) {
    if (degree.get(subject) === 1 && degree.get(object) > LEAVES) put(sets, JSON.stringify([object, relation, "from"]), subject);
    else if (degree.get(object) === 1 && degree.get(subject) > LEAVES) put(sets, JSON.stringify([subject, relation, "to"]), object);
  }
  return large(sets, opened);
}

// Nodes by the way in which they are come to: the relations on it, and what they are themselves.
function alike(triples, opened, groups, roles, kinds) {
  const beside = new Map();
  for (const { subject, relation, object } of triples) {
    put(beside, subject, [`${relation} to`, object]);
    put(beside, object, [`${relation} from`, subject]);
  }
  const said = (name) => { const [first] = groups.get(name) || [name]; return `${roles(first)} ${kinds(first)}`; };
  const ways = new Map();
  const starts = [...beside.keys()].sort((one, other) => (roles(other) === "topic") - (roles(one) === "topic") || beside.get(other).length - beside.get(one).length);
  for (const start of starts) {
    if (ways.has(start)) continue;
    ways.set(start, `${roles(start) === "topic" ? start : ""} ${said(start)}`);
    for (const queue = [start]; queue.length;) {
      const name = queue.shift();
      for (const [relation, other] of beside.get(name)) {
        if (ways.has(other)) continue;
        ways.set(other, `${ways.get(name)} > ${relation} ${said(other)}`);
        queue.push(other);
      }
    }
  }
  const sets = new Map();
  for (const [name, way] of ways) put(sets, way, name);
  return large(sets, opened);
}
