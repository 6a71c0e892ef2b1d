// Triples as a picture, with Cytoscape.js. It draws on a canvas: names are never markup.
/* global cytoscape */

import { called } from "./dom.js";

const SHOWN = 300;
const EXPANDED = 25;
const SMALL = 40;
const CROWD = 120;
const RING = 110;
const ROOM = 34;
const LABEL = 28;
const PADDING = 24;
const SIZES = { "": 18, topic: 26, answer: 24 };

function style() {
  const look = getComputedStyle(document.documentElement);
  const colour = (name) => look.getPropertyValue(name).trim();
  const [ink, quiet, panel] = [colour("--ink"), colour("--quiet"), colour("--panel")];
  const turned = { "text-valign": "center", "text-rotation": "data(turn)", "text-margin-x": "data(right)", "text-margin-y": "data(down)" };
  return [
    { selector: "node", style: {
      "background-color": colour("--accent"), label: "data(label)", color: ink, "font-size": 13, width: SIZES[""], height: SIZES[""],
      "text-valign": "bottom", "text-margin-y": 3, "text-background-color": panel, "text-background-opacity": 0.8,
      "min-zoomed-font-size": 6 } },
    { selector: "node.topic", style: { "background-color": colour("--topic"), width: SIZES.topic, height: SIZES.topic } },
    { selector: "node.answer", style: { "background-color": colour("--answer"), width: SIZES.answer, height: SIZES.answer } },
    { selector: "node.left", style: { ...turned, "text-halign": "left" } },
    { selector: "node.right", style: { ...turned, "text-halign": "right" } },
    { selector: "node.ring", style: { "font-size": 15 } },
    { selector: "node.crowd", style: { "font-size": 26 } },
    { selector: "node:selected", style: { "border-width": 3, "border-color": ink } },
    { selector: "edge", style: {
      width: 1.5, "line-color": quiet, "target-arrow-color": quiet, "target-arrow-shape": "triangle", "arrow-scale": 0.8,
      "curve-style": "bezier", label: "data(label)", "font-size": 10, color: quiet, "text-rotation": "autorotate",
      "text-background-color": panel, "text-background-opacity": 0.8, "min-zoomed-font-size": 7 } },
    { selector: "edge.many", style: { label: "" } },
    { selector: "edge.many:selected", style: { label: "data(label)", "font-size": 12, "line-color": ink } },
  ];
}

// Triples {subject, relation, object, detail} as a picture; `classes` gives what a node of a name is ("topic", "answer",
// ""). Which node of the picture a node of the graph is: evidence knows names, what is around a node knows `ids`, too.
export class Picture {
  constructor(container, onnode, triples, classes = () => "", ids = new Map()) {
    const nodes = new Map();
    const edges = new Map();
    for (const triple of triples.slice(0, SHOWN)) {
      for (const name of [triple.subject, triple.object]) {
        nodes.set(`n${name}`, { data: { id: `n${name}`, label: shortened(name), name, node: ids.get(name) || "" }, classes: classes(name) });
      }
      addEdge(edges, `n${triple.subject}`, `n${triple.object}`, triple);
    }
    placed(nodes, edges);
    this.drawing = cytoscape({ container, style: style(), minZoom: 0.1, maxZoom: 3, layout: layout(nodes.size),
      elements: [...nodes.values(), ...edges.values()] });
    this.drawing.on("tap", "node", (event) => onnode(event.target.data()));
    this.restyle = () => this.drawing.style(style());
    this.near();
  }

  fit() {
    this.drawing.resize();
    this.drawing.fit(undefined, PADDING);
    this.near();
  }

  // Not nearer than a few nodes look well.
  near() {
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
          fresh.push({ data: { id, label: shortened(entity.name), name: entity.name, node: entity.id }, position });
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

// The browser compiles what draws when something is first drawn: done here while nobody waits for it.
export function warm() {
  const place = document.createElement("div");
  place.className = "unseen";
  place.setAttribute("aria-hidden", "true");
  document.body.append(place);
  const triples = Array.from({ length: 2 * SMALL }, (_, number) => ({ subject: "one", relation: "to", object: `another ${number}`, detail: "" }));
  const picture = new Picture(place, () => {}, triples, (name) => (name === "one" ? "topic" : ""));
  requestAnimationFrame(() => setTimeout(() => {
    picture.destroy();
    place.remove();
  }));
}

const shortened = (name) => (name.length > LABEL ? `${name.slice(0, LABEL - 1)}…` : name);

// A small picture is let loose, so that its edges do not cross; in a larger one, nodes stay on their rings.
function layout(size) {
  if (size > SMALL) return { name: "preset", fit: true, padding: PADDING };
  return { name: "cose", animate: false, randomize: false, numIter: 500, nodeRepulsion: () => 150000,
    idealEdgeLength: () => 50, nodeOverlap: 20, gravity: 1, nodeDimensionsIncludeLabels: true, padding: PADDING };
}

// Gives nodes their places on rings around what was asked about. Where they are many, their names point away from the
// middle, so that none lies over the next, and edges have no names.
function placed(nodes, edges) {
  const places = rings(nodes, edges);
  for (const [id, node] of nodes) {
    node.position = places.get(id);
    if (nodes.size > SMALL) turnLabel(node, nodes.size > CROWD ? "crowd" : "ring");
  }
  for (const edge of edges.values()) edge.classes = edges.size > SMALL ? "many" : "";
}

function turnLabel(node, size) {
  const { x, y } = node.position;
  if (Math.hypot(x, y) < 1) return;
  const angle = Math.atan2(y, x);
  const half = SIZES[node.classes] / 2;
  const side = x >= 0 ? "right" : "left";
  node.data.turn = side === "right" ? angle : angle + Math.PI;
  node.data.right = (side === "right" ? -half : half) + (half + 3) * Math.cos(angle);
  node.data.down = (half + 3) * Math.sin(angle);
  node.classes = `${node.classes} ${side} ${size}`;
}

// Each node's place: on a ring by its distance from what was asked about, in the sector of the node that it was reached
// from, which is as wide as what hangs on it needs.
function rings(nodes, edges) {
  const beside = new Map([...nodes.keys()].map((id) => [id, new Set()]));
  for (const { data: { source, target } } of edges.values()) {
    beside.get(source).add(target);
    beside.get(target).add(source);
  }
  const below = new Map();
  const seen = new Set();
  const starts = [...nodes.keys()].filter((id) => nodes.get(id).classes === "topic");
  const byDegree = [...nodes.keys()].sort((one, other) => beside.get(other).size - beside.get(one).size);
  const roots = [];
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
  const label = triple.detail ? `${called(triple.relation)} ${triple.detail}` : called(triple.relation);
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
          const triple = { subject: called(subject), relation: relation.name, object: called(object), detail: "" };
          found.set(JSON.stringify([subject, relation.name, object]), triple);
        }
      }
    }
  }
  return [...found.values()];
}
