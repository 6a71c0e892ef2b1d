// Triples as a picture, with Cytoscape.js. It draws on a canvas: names are never markup.
/* global cytoscape */

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const SHOWN = 300;
const EXPANDED = 25;
const SMALL = 40;
const CROWD = 120;
const RING = 110;
const ROOM = 34;

function style() {
  const ink = colour("--ink");
  return [
    { selector: "node", style: {
      "background-color": colour("--accent"), label: "data(label)", color: ink, "font-size": 13, width: 18, height: 18,
      "text-wrap": "ellipsis", "text-max-width": 170, "text-valign": "bottom", "text-margin-y": 3,
      "text-background-color": colour("--panel"), "text-background-opacity": 0.8, "min-zoomed-font-size": 6 } },
    { selector: "node.topic", style: { "background-color": colour("--topic"), width: 26, height: 26 } },
    { selector: "node.answer", style: { "background-color": colour("--answer"), width: 24, height: 24 } },
    { selector: "node:selected", style: { "border-width": 3, "border-color": ink } },
    { selector: "edge", style: {
      width: 1.5, "line-color": colour("--quiet"), "target-arrow-color": colour("--quiet"), "target-arrow-shape": "triangle",
      "arrow-scale": 0.8, "curve-style": "bezier", label: "data(label)", "font-size": 10, color: colour("--quiet"),
      "text-rotation": "autorotate", "text-background-color": colour("--panel"), "text-background-opacity": 0.8,
      "min-zoomed-font-size": 7 } },
    { selector: "edge.many", style: { label: "" } },
    { selector: "edge.many:selected", style: { label: "data(label)", "font-size": 12, "line-color": ink } },
  ];
}

// Which node of the picture a node of the graph is: evidence knows names, what is around a node knows ids, too.
export class Picture {
  constructor(container, onnode) {
    this.drawing = cytoscape({ container, style: style(), minZoom: 0.1, maxZoom: 3 });
    this.drawing.on("tap", "node", (event) => onnode(event.target.data()));
    this.restyle = () => this.drawing.style(style());
  }

  // Draws triples {subject, relation, object, detail}; `classes` gives what a node of a name is.
  draw(triples, classes, ids = new Map()) {
    const nodes = new Map();
    const edges = new Map();
    for (const triple of triples.slice(0, SHOWN)) {
      for (const name of [triple.subject, triple.object]) {
        nodes.set(`n${name}`, { data: { id: `n${name}`, label: name, name, node: ids.get(name) || "" }, classes: classes(name) });
      }
      addEdge(edges, `n${triple.subject}`, `n${triple.object}`, triple);
    }
    this.drawing.elements().remove();
    this.drawing.add([...nodes.values(), ...edges.values()]);
    this.arrange();
    return triples.length - SHOWN;
  }

  // Rings around what was asked about; a small picture is then let loose, so that its edges do not cross.
  arrange() {
    const nodes = this.drawing.nodes();
    const places = rings(this.drawing);
    nodes.positions((node) => places.get(node.id()));
    if (nodes.length <= SMALL) {
      this.drawing.layout({ name: "cose", animate: false, randomize: false, numIter: 500, nodeRepulsion: () => 150000,
        idealEdgeLength: () => 50, nodeOverlap: 20, gravity: 1, nodeDimensionsIncludeLabels: true, padding: 24 }).run();
    } else {
      this.drawing.batch(() => nodes.forEach((node) => turnLabel(node, nodes.length > CROWD ? 26 : 15)));
    }
    this.drawing.edges().toggleClass("many", this.drawing.edges().length > SMALL);
    this.fit();
  }

  fit() {
    this.drawing.resize();
    this.drawing.fit(undefined, 24);
    if (this.drawing.zoom() > 1.6) {
      this.drawing.zoom(1.6);
      this.drawing.center();
    }
  }

  // Adds what is around a node; {node, triples} as the server gives it.
  expand(name, around) {
    const centre = this.drawing.getElementById(`n${name}`);
    if (centre.empty()) return;
    centre.data("node", around.node.id);
    const place = centre.position();
    const edges = new Map();
    const fresh = [];
    const identity = (entity) => {
      if (entity.id === around.node.id) return centre.id();
      const known = this.drawing.nodes().filter((node) => node.data("node") === entity.id);
      if (known.length) return known[0].id();
      const same = this.drawing.getElementById(`n${entity.name}`);
      return same.nonempty() && !same.data("node") ? same.id() : `i${entity.id}`;
    };
    const shown = around.triples.slice(0, EXPANDED);
    shown.forEach((triple, number) => {
      for (const entity of [triple.subject, triple.object]) {
        const id = identity(entity);
        const there = this.drawing.getElementById(id);
        if (there.nonempty()) {
          there.data("node", entity.id);
        } else if (!fresh.some((item) => item.data.id === id)) {
          const angle = (2 * Math.PI * number) / shown.length;
          const position = { x: place.x + 110 * Math.cos(angle), y: place.y + 110 * Math.sin(angle) };
          fresh.push({ data: { id, label: entity.name, name: entity.name, node: entity.id }, position });
        }
      }
      addEdge(edges, identity(triple.subject), identity(triple.object), triple);
    });
    this.drawing.add([...fresh, ...[...edges.values()].filter((edge) => this.drawing.getElementById(edge.data.id).empty())]);
    this.drawing.animate({ fit: { padding: 24 }, duration: 0 });
  }

  destroy() {
    this.drawing.destroy();
  }
}

// Where many nodes stand on a ring, their names point away from its middle, so that none lies over the next.
function turnLabel(node, size) {
  const { x, y } = node.position();
  if (Math.hypot(x, y) < 1) return;
  const angle = Math.atan2(y, x);
  const right = x >= 0;
  const half = node.width() / 2;
  node.style({
    "font-size": size, "text-max-width": 13 * size, "text-halign": right ? "right" : "left", "text-valign": "center", "text-rotation": right ? angle : angle + Math.PI,
    "text-margin-x": (right ? -half : half) + (half + 3) * Math.cos(angle), "text-margin-y": (half + 3) * Math.sin(angle),
  });
}

// Each node's place: on a ring by its distance from what was asked about, in the sector of the node that it was reached
// from, which is as wide as what hangs on it needs.
function rings(drawing) {
  const below = new Map();
  const seen = new Set();
  const starts = drawing.nodes(".topic").toArray();
  const byDegree = drawing.nodes().toArray().sort((one, other) => other.degree() - one.degree());
  const roots = [];
  for (const start of [...starts, ...byDegree]) {
    if (seen.has(start.id())) continue;
    roots.push(start.id());
    seen.add(start.id());
    for (const queue = [start]; queue.length;) {
      const node = queue.shift();
      const next = node.neighborhood().nodes().toArray().filter((other) => !seen.has(other.id()));
      next.forEach((other) => seen.add(other.id()));
      below.set(node.id(), next.map((other) => other.id()));
      queue.push(...next);
    }
  }
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
  const places = new Map();
  const put = (id, level, from, size) => {
    const angle = from + size / 2;
    places.set(id, { x: radii[level] * Math.cos(angle), y: radii[level] * Math.sin(angle) });
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
  return places;
}

function addEdge(edges, source, target, triple) {
  const label = triple.detail ? `${triple.relation} ${triple.detail}` : triple.relation;
  const id = JSON.stringify([source, label, target]);
  edges.set(id, { data: { id, source, target, label } });
}

// The schema: labels joined by relationship types.
export function schemaTriples(schema) {
  const found = new Map();
  // Every node that kgneo loaded has this label, which says nothing of it.
  const telling = (labels) => (schema.shape.loaded && labels.length > 1 ? labels.filter((label) => label !== "Entity") : labels);
  for (const relation of schema.relations) {
    for (const connection of relation.connections) {
      for (const subject of telling(connection.subject)) {
        for (const object of telling(connection.object)) {
          const triple = { subject, relation: relation.name, object, detail: "" };
          found.set(JSON.stringify([subject, relation.name, object]), triple);
        }
      }
    }
  }
  return [...found.values()];
}
