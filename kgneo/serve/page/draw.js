// Triples as a picture, with Cytoscape.js. It draws on a canvas: names are never markup.
/* global cytoscape */

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const SHOWN = 300;
const EXPANDED = 25;

function style() {
  const ink = colour("--ink");
  return [
    { selector: "node", style: {
      "background-color": colour("--accent"), label: "data(label)", color: ink, "font-size": 11, width: 18, height: 18,
      "text-wrap": "ellipsis", "text-max-width": 120, "text-valign": "bottom", "text-margin-y": 3,
      "text-background-color": colour("--panel"), "text-background-opacity": 0.8, "min-zoomed-font-size": 6 } },
    { selector: "node.topic", style: { "background-color": colour("--topic"), width: 26, height: 26 } },
    { selector: "node.answer", style: { "background-color": colour("--answer"), width: 24, height: 24 } },
    { selector: "node:selected", style: { "border-width": 3, "border-color": ink } },
    { selector: "edge", style: {
      width: 1.5, "line-color": colour("--quiet"), "target-arrow-color": colour("--quiet"), "target-arrow-shape": "triangle",
      "arrow-scale": 0.8, "curve-style": "bezier", label: "data(label)", "font-size": 9, color: colour("--quiet"),
      "text-rotation": "autorotate", "text-background-color": colour("--panel"), "text-background-opacity": 0.8,
      "min-zoomed-font-size": 7 } },
  ];
}

// Which node of the picture a node of the graph is: evidence knows names, what is around a node knows ids, too.
export class Picture {
  constructor(container, onnode) {
    this.drawing = cytoscape({ container, style: style(), minZoom: 0.1, maxZoom: 3, wheelSensitivity: 0.4 });
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

  arrange() {
    const many = this.drawing.nodes().length > 60;
    const hubs = this.drawing.nodes().filter((node) => node.degree() > this.drawing.nodes().length / 3);
    const layout = many && hubs.length
      ? { name: "concentric", concentric: (node) => node.degree(), levelWidth: () => 2, minNodeSpacing: 14, animate: false }
      : { name: "cose", animate: false, numIter: many ? 150 : 600, nodeRepulsion: () => 9000, idealEdgeLength: () => 80,
          randomize: true, nodeDimensionsIncludeLabels: false, componentSpacing: 60, fit: true, padding: 24 };
    this.drawing.layout({ fit: true, padding: 24, ...layout }).run();
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

function addEdge(edges, source, target, triple) {
  const label = triple.detail ? `${triple.relation} ${triple.detail}` : triple.relation;
  const id = JSON.stringify([source, label, target]);
  edges.set(id, { data: { id, source, target, label } });
}

// The schema: labels joined by relationship types.
export function schemaTriples(schema) {
  const found = new Map();
  for (const relation of schema.relations) {
    for (const connection of relation.connections) {
      for (const subject of connection.subject) {
        for (const object of connection.object) {
          const triple = { subject, relation: relation.name, object, detail: "" };
          found.set(JSON.stringify([subject, relation.name, object]), triple);
        }
      }
    }
  }
  return [...found.values()];
}
