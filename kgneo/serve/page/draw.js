// Triples as a picture, with Cytoscape.js. It draws on a canvas: names are never markup.
//
// A node's colour is its label, its ring is what it is in the answer. Names keep their size on the screen, however near
// one looks; of names that would lie over each other, the more important one is shown.
/* global cytoscape */

import { called, element, look } from "./dom.js";
import { grouped } from "./groups.js";
import { places } from "./places.js";

const SHOWN = 3000;
const EXPANDED = 25;
const LABEL = 28;
const PADDING = 30;
const FONT = 12;
const LETTER = 6.7;
const SIZE = 18;
const COLOURS = 8;

const shortened = (name) => (name.length > LABEL ? `${name.slice(0, LABEL - 1)}…` : name);
const edgeLabel = (triple) => [called(triple.relation), ...(triple.detail ? ["…"] : [])].join(" ");

// `roles` gives what a node of a name is in the answer ("topic", "answer", ""), `kinds` its label. Which node of the
// picture is which of the graph: evidence knows names, what is around a node knows `ids`, too.
export class Picture {
  constructor(container, triples, { onnode = () => {}, onhover = () => {}, roles = () => "", kinds = () => "", ids = new Map() } = {}) {
    Object.assign(this, { container, all: triples.slice(0, SHOWN), onnode, onhover, roles, kinds, ids, opened: new Set(), colours: new Map() });
    this.tip = element("div", { class: "tip", hidden: true, dir: "auto" });
    this.build();
  }

  build() {
    const { triples, groups } = grouped(this.all, this.opened, this.roles, this.kinds);
    this.groups = groups;
    const nodes = new Map();
    const edges = new Map();
    for (const triple of triples) {
      for (const name of [triple.subject, triple.object]) if (!nodes.has(`n${name}`)) nodes.set(`n${name}`, this.node(name));
      addEdge(edges, `n${triple.subject}`, `n${triple.object}`, triple);
    }
    this.place(nodes, edges);
    this.drawing?.destroy();
    this.drawing = cytoscape({ container: this.container, style: this.style(), minZoom: 0.02, maxZoom: 4, layout: { name: "preset", fit: true, padding: PADDING },
      userZoomingEnabled: matchMedia("(pointer: coarse)").matches, elements: [...nodes.values(), ...edges.values()] });
    this.container.append(this.tip);
    this.listen();
    this.near();
  }

  node(name) {
    const leaves = this.groups.get(name);
    const kind = this.kinds(leaves ? leaves[0] : name);
    if (kind && !this.colours.has(kind)) this.colours.set(kind, this.colours.size % COLOURS);
    const label = leaves ? `${leaves.length.toLocaleString()} ${kind ? called(kind) : "things"}` : shortened(name);
    const role = this.roles(leaves ? leaves[0] : name);
    return { data: { id: `n${name}`, label, name, kind: kind || "", node: this.ids.get(name) || "" }, classes: [role, leaves ? "group" : ""].join(" ") };
  }

  place(nodes, edges) {
    const beside = new Map([...nodes.keys()].map((id) => [id, new Set()]));
    for (const { data: { source, target } } of edges.values()) { beside.get(source).add(target); beside.get(target).add(source); }
    const starts = [...nodes.keys()].filter((id) => nodes.get(id).classes.includes("topic"));
    const found = places(beside, starts);
    for (const [id, position] of found.places) {
      nodes.get(id).position = position;
      if (found.crowded) nodes.get(id).classes += " beside";
    }
  }

  style() {
    const zoom = () => this.drawing?.zoom() || 1;
    const [ink, quiet, panel] = ["--ink", "--quiet", "--panel"].map(look);
    const colours = Array.from({ length: COLOURS }, (_, number) => look(`--kind-${number}`));
    const size = (node) => Math.max(SIZE * (node.hasClass("group") ? 1.8 : node.hasClass("topic") ? 1.4 : 1), 9 / zoom());
    return [
      { selector: "node", style: {
        "background-color": (node) => colours[this.colours.get(node.data("kind"))] || look("--accent"), label: "data(label)", color: ink,
        "font-size": () => FONT / zoom(), width: size, height: size, "text-valign": "bottom", "text-margin-y": () => 3 / zoom(),
        "text-background-color": panel, "text-background-opacity": 0.85 } },
      { selector: "node.beside", style: { "text-halign": "right", "text-valign": "center", "text-margin-x": () => 4 / zoom(), "text-margin-y": 0 } },
      { selector: "node.topic", style: { "border-width": 5, "border-color": look("--topic") } },
      { selector: "node.answer", style: { "border-width": 5, "border-color": look("--answer") } },
      { selector: "node.group", style: { shape: "round-rectangle" } },
      { selector: "node:selected, node.marked", style: { "border-width": 6, "border-color": ink } },
      { selector: "edge", style: {
        width: () => Math.max(1.5, 0.8 / zoom()), "line-color": quiet, "target-arrow-color": quiet, "target-arrow-shape": "triangle", "arrow-scale": 0.9,
        "curve-style": "bezier", label: "data(label)", "font-size": () => (FONT - 1) / zoom(), color: quiet,
        "text-background-color": panel, "text-background-opacity": 0.85 } },
      { selector: ".mute", style: { "text-opacity": 0, "text-background-opacity": 0 } },
      { selector: ".faded", style: { opacity: 0.2 } },
      { selector: ".away", style: { display: "none" } },
    ];
  }

  listen() {
    let pause = 0;
    const soon = () => { clearTimeout(pause); pause = setTimeout(() => this.legible(), 40); };
    this.drawing.on("zoom resize", soon);
    this.drawing.on("free add remove", "node", soon);
    this.drawing.on("tap", "node", (event) => this.chosen(event.target));
    this.drawing.on("mouseover", "node, edge", (event) => this.hover(event.target, event.renderedPosition));
    this.drawing.on("mouseout", "node, edge", () => this.hover(null));
    this.drawing.on("pan", () => { this.tip.hidden = true; });
    // The wheel scrolls the page; with Ctrl it zooms, as it does everywhere.
    this.container.onwheel = (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, { x: event.offsetX, y: event.offsetY });
    };
  }

  chosen(node) {
    const name = node.data("name");
    if (!this.groups.has(name)) return this.onnode(node.data());
    this.opened.add(name);
    return this.build();
  }

  hover(part, place) {
    this.tip.hidden = !part;
    this.onhover(part);
    if (!part) return;
    this.tip.textContent = part.isNode() ? [this.groups.has(part.data("name")) ? part.data("label") : part.data("name"), called(part.data("kind"))].filter(Boolean).join(" · ") : part.data("told");
    this.tip.style.left = `${Math.min(place.x + 12, this.container.clientWidth - 160)}px`;
    this.tip.style.top = `${place.y + 12}px`;
  }

  zoom(factor, place = { x: this.container.clientWidth / 2, y: this.container.clientHeight / 2 }) {
    this.drawing.zoom({ level: this.drawing.zoom() * factor, renderedPosition: place });
  }

  fit() {
    this.drawing.resize();
    this.drawing.fit(this.drawing.elements(":visible"), PADDING);
    this.near();
  }

  // Not nearer than a few nodes look well.
  near() {
    if (this.drawing.zoom() > 1.3) { this.drawing.zoom(1.3); this.drawing.center(); }
    this.legible();
  }

  // Names in their size on the screen, and none over another.
  legible() {
    const taken = [];
    const free = (box) => taken.every((other) => box.left > other.right || box.right < other.left || box.top > other.bottom || box.bottom < other.top);
    const weight = (node) => (node.hasClass("topic") ? 1e6 : node.hasClass("answer") ? 1e5 : 0) + node.degree(false);
    this.drawing.batch(() => {
      this.drawing.style().update();
      for (const node of this.drawing.nodes(":visible").toArray().sort((one, other) => weight(other) - weight(one))) {
        this.show(node, this.label(node), taken, free);
      }
      for (const edge of this.drawing.edges(":visible").toArray()) {
        const [one, other] = [edge.source().renderedPosition(), edge.target().renderedPosition()];
        const [x, y] = [(one.x + other.x) / 2, (one.y + other.y) / 2];
        const room = Math.hypot(one.x - other.x, one.y - other.y) > 2 * this.wide(edge) + 24;
        const box = { left: x - this.wide(edge), right: x + this.wide(edge), top: y - FONT / 2, bottom: y + FONT / 2 };
        this.show(edge, box, taken, (here) => room && free(here));
      }
    });
  }

  // Where the name of a node stands on the screen.
  label(node) {
    const { x, y } = node.renderedPosition();
    const [half, wide] = [node.renderedHeight() / 2, this.wide(node)];
    if (node.hasClass("beside")) return { left: x + half, right: x + half + 2 * wide, top: y - FONT / 2, bottom: y + FONT / 2 };
    return { left: x - wide, right: x + wide, top: y + half + 2, bottom: y + half + FONT + 5 };
  }

  wide(part) {
    return (part.data("label").length * LETTER) / 2 + 2;
  }

  show(part, box, taken, free) {
    const shown = free(box);
    part.toggleClass("mute", !shown);
    if (shown) taken.push(box);
  }

  // What the legend, a row of the table or a search points to.
  mark(names) {
    this.drawing.nodes().forEach((node) => { node.toggleClass("marked", names.has(node.data("name"))); });
  }

  search(text) {
    const wanted = text.trim().toLowerCase();
    this.drawing.elements().toggleClass("faded", false);
    if (!wanted) return;
    const found = this.drawing.nodes().filter((node) => node.data("name").toLowerCase().includes(wanted));
    this.drawing.elements().difference(found).toggleClass("faded", true);
  }

  without(kinds) {
    this.drawing.nodes().forEach((node) => { node.toggleClass("away", kinds.has(node.data("kind"))); });
    this.legible();
  }

  hide(name) {
    this.drawing.getElementById(`n${name}`).addClass("away");
  }

  pin(name) {
    const node = this.drawing.getElementById(`n${name}`);
    if (node.locked()) node.unlock();
    else node.lock();
    return node.locked();
  }

  // Adds what is around a node; {node, triples} as the server gives it.
  expand(name, around) {
    const centre = this.drawing.getElementById(`n${name}`);
    if (centre.empty()) return;
    centre.data("node", around.node.id);
    const place = centre.position();
    const edges = new Map();
    const fresh = [];
    const shown = around.triples.slice(0, EXPANDED);
    shown.forEach((triple, number) => {
      for (const entity of [triple.subject, triple.object]) {
        const id = this.identity(entity, centre, around);
        const there = this.drawing.getElementById(id);
        if (there.nonempty()) there.data("node", entity.id);
        else if (!fresh.some((item) => item.data.id === id)) {
          const angle = (2 * Math.PI * number) / shown.length;
          const position = { x: place.x + 150 * Math.cos(angle), y: place.y + 150 * Math.sin(angle) };
          const made = this.node(entity.name);
          fresh.push({ ...made, data: { ...made.data, id, node: entity.id }, position });
        }
      }
      const [subject, object] = [triple.subject, triple.object].map((entity) => this.identity(entity, centre, around));
      addEdge(edges, subject, object, { ...triple, subject: triple.subject.name, object: triple.object.name });
    });
    this.drawing.add([...fresh, ...[...edges.values()].filter((edge) => this.drawing.getElementById(edge.data.id).empty())]);
    this.fit();
  }

  identity(entity, centre, around) {
    if (entity.id === around.node.id) return centre.id();
    const known = this.drawing.nodes().filter((node) => node.data("node") === entity.id);
    if (known.length) return known[0].id();
    const same = this.drawing.getElementById(`n${entity.name}`);
    return same.nonempty() && !same.data("node") ? same.id() : `i${entity.id}`;
  }

  restyle() {
    this.drawing.style(this.style());
    this.legible();
  }

  png() {
    return this.drawing.png({ output: "blob", full: true, scale: 2, bg: look("--paper") });
  }

  // The same picture as SVG: circles, lines and names.
  svg() {
    const box = this.drawing.elements().boundingBox();
    const made = (tag, attributes, text = "") => {
      const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
      node.textContent = text;
      return node;
    };
    const root = made("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: [box.x1, box.y1, box.w, box.h].map(Math.round).join(" "), "font-family": "sans-serif", "font-size": FONT });
    for (const edge of this.drawing.edges(":visible").toArray()) {
      const [one, other] = [edge.source().position(), edge.target().position()];
      root.append(made("line", { x1: one.x, y1: one.y, x2: other.x, y2: other.y, stroke: look("--quiet") }),
        made("text", { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2, fill: look("--quiet"), "text-anchor": "middle" }, edge.data("label")));
    }
    for (const node of this.drawing.nodes(":visible").toArray()) {
      const { x, y } = node.position();
      root.append(made("circle", { cx: x, cy: y, r: node.width() / 2, fill: node.style("background-color"), stroke: node.style("border-color"), "stroke-width": parseFloat(node.style("border-width")) }),
        made("text", { x, y: y + node.height() / 2 + FONT + 2, fill: look("--ink"), "text-anchor": "middle" }, node.data("label")));
    }
    return new XMLSerializer().serializeToString(root);
  }

  destroy() {
    this.drawing.destroy();
  }
}

function addEdge(edges, source, target, triple) {
  const label = edgeLabel(triple);
  const told = [triple.subject, called(triple.relation), triple.object].map((text) => shortened(text)).join(" — ") + (triple.detail ? `: ${triple.detail}` : "");
  const id = JSON.stringify([source, triple.relation, triple.detail || "", target]);
  edges.set(id, { data: { id, source, target, label, told } });
}

// The browser compiles what draws when something is first drawn: done here while nobody waits for it.
export function warm() {
  const place = element("div", { class: "unseen", "aria-hidden": "true" });
  document.body.append(place);
  const triples = Array.from({ length: 60 }, (_, number) => ({ subject: `one ${number % 3}`, relation: "to", object: `another ${number}`, detail: "" }));
  const picture = new Picture(place, triples, { roles: (name) => (name === "one 0" ? "topic" : "") });
  requestAnimationFrame(() => setTimeout(() => { picture.destroy(); place.remove(); }));
}

// The schema: labels joined by relationship types.
export function schemaTriples(schema) {
  const found = new Map();
  for (const relation of schema.relations) {
    for (const [subject, object] of ends(schema, relation)) {
      found.set(JSON.stringify([subject, relation.name, object]), { subject: called(subject), relation: relation.name, object: called(object), detail: "" });
    }
  }
  return [...found.values()];
}

// From which labels to which a relationship type leads.
export function ends(schema, relation) {
  // Every node that kgneo loaded has this label, which says nothing of it.
  const telling = (labels) => (schema.shape.loaded && labels.length > 1 ? labels.filter((label) => label !== "Entity") : labels);
  return relation.connections.flatMap((item) => telling(item.subject).flatMap((subject) => telling(item.object).map((object) => [subject, object])));
}

// The label of each node by what its relationship types lead from and to: `known` are those that the server told.
export function kindsOf(schema, triples, known) {
  const sizes = new Map(schema.labels.map((label) => [label.name, label.nodes]));
  const rarest = (labels) => [...labels].sort((one, other) => (sizes.get(one) || 0) - (sizes.get(other) || 0))[0] || "";
  const possible = new Map();
  const relations = new Map(schema.relations.map((relation) => [relation.name, ends(schema, relation)]));
  const narrow = (name, labels) => {
    const before = possible.get(name);
    possible.set(name, before ? new Set([...before].filter((label) => labels.has(label))) : labels);
  };
  for (const { subject, relation, object } of triples) {
    const pairs = relations.get(relation);
    if (!pairs?.length) continue;
    narrow(subject, new Set(pairs.map(([label]) => label)));
    narrow(object, new Set(pairs.map(([, label]) => label)));
  }
  const sure = (name) => (possible.get(name)?.size === 1 ? [...possible.get(name)][0] : "");
  return (name) => (known.get(name)?.length ? rarest(known.get(name)) : sure(name));
}
