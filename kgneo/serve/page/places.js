// Where the nodes of a picture stand: in columns from left to right, or on rings around what was asked about.
//
// `beside`: by node, the nodes that it is joined with; `starts`: what was asked about. Gives {places: {x, y} by node,
// crowded: whether names fit better beside the nodes than below them}.

const ACROSS = 240;
const DOWN = 46;
const DEEPEST = 6;
const TALLEST = 24;
const CROWDED = 7;
const SHAPE = 1.4;
const RING = 130;
const ROOM = 40;

export function places(beside, starts) {
  return columns(beside, starts) || { places: rings(beside, starts), crowded: false };
}

// Each node in the column of its distance from what was asked about, as near as can be to what it is joined with; null
// where there is nothing to begin at, or a column would be too tall to read.
function columns(beside, starts) {
  if (!starts.length) return null;
  const level = new Map(starts.map((id) => [id, 0]));
  for (const queue = [...starts]; queue.length;) {
    const id = queue.shift();
    for (const next of beside.get(id)) if (!level.has(next)) { level.set(next, level.get(id) + 1); queue.push(next); }
  }
  if (level.size < beside.size) return null;
  const levels = [];
  for (const [id, at] of level) (levels[at] ||= []).push(id);
  if (levels.length > DEEPEST || levels.some((ids) => ids.length > TALLEST)) return null;
  const row = new Map();
  const number = (ids) => ids.forEach((id, at) => row.set(id, at - (ids.length - 1) / 2));
  levels.forEach(number);
  for (let turn = 0; turn < 4; turn += 1) {
    for (const ids of levels) {
      const middle = new Map(ids.map((id) => [id, mean([...beside.get(id)].filter((other) => level.get(other) !== level.get(id)).map((other) => row.get(other)), row.get(id))]));
      ids.sort((one, other) => middle.get(one) - middle.get(other));
      number(ids);
    }
  }
  // As wide as fits the height.
  const tallest = Math.max(...levels.map((ids) => ids.length));
  const across = Math.max(ACROSS, (SHAPE * tallest * DOWN) / Math.max(1, levels.length - 1));
  const found = new Map([...level].map(([id, at]) => [id, { x: at * across, y: row.get(id) * DOWN }]));
  return { places: found, crowded: tallest > CROWDED };
}

const mean = (values, otherwise) => (values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : otherwise);

// Each node on a ring by its distance from what was asked about, in the sector of the node that it was reached from,
// which is as wide as what hangs on it needs.
function rings(beside, starts) {
  const { roots, below } = trees(beside, starts);
  const widths = new Map();
  const levels = [];
  const measure = (id, level) => {
    levels[level] = (levels[level] || 0) + 1;
    const width = below.get(id).reduce((sum, child) => sum + measure(child, level + 1), 0);
    widths.set(id, Math.max(width, 1));
    return widths.get(id);
  };
  const single = roots.length === 1;
  const whole = roots.reduce((sum, id) => sum + measure(id, single ? 0 : 1), 0);
  const radii = [0];
  for (let level = 1; level < levels.length; level += 1) {
    radii[level] = Math.max(radii[level - 1] + RING, ((levels[level] || 0) * ROOM) / (2 * Math.PI));
  }
  const found = new Map();
  const put = (id, level, from, size) => {
    const angle = from + size / 2;
    found.set(id, { x: radii[level] * Math.cos(angle), y: radii[level] * Math.sin(angle) });
    for (const child of below.get(id)) {
      const share = (size * widths.get(child)) / widths.get(id);
      put(child, level + 1, from, share);
      from += share;
    }
  };
  let from = 0;
  for (const id of roots) {
    const size = (2 * Math.PI * widths.get(id)) / whole;
    put(id, single ? 0 : 1, from, size);
    from += size;
  }
  return found;
}

// The trees that are walked from what was asked about, and then from what is joined most.
function trees(beside, starts) {
  const byDegree = [...beside.keys()].sort((one, other) => beside.get(other).size - beside.get(one).size);
  const roots = [];
  const below = new Map();
  const seen = new Set();
  for (const start of [...starts, ...byDegree]) {
    if (seen.has(start)) continue;
    roots.push(start);
    seen.add(start);
    for (const queue = [start]; queue.length;) {
      const id = queue.shift();
      const next = [...beside.get(id)].filter((other) => !seen.has(other));
      next.forEach((other) => seen.add(other));
      below.set(id, next);
      queue.push(...next);
    }
  }
  return { roots, below };
}
