// About the graph: its labels with what they hold, its relationship types from where to where, and its nodes.
import { get } from "./api.js";
import { button, called, element, find, table } from "./dom.js";
import { Picture, ends, schemaTriples } from "./draw.js";
import { state } from "./state.js";

const PAUSE = 150;
let picture = null;

export const restyle = () => picture?.restyle();

// Every node that kgneo loaded has the label Entity, which says nothing of it.
export const telling = (schema) => schema.labels.filter((label) => !(schema.shape.loaded && label.name === "Entity" && schema.labels.length > 1))
  .sort((one, other) => other.nodes - one.nodes);

const own = (name) => (called(name) === name ? name : `${called(name)} (${name})`);

export function sentence(schema) {
  const kinds = telling(schema).slice(0, 5).map((label) => `${label.nodes.toLocaleString()} × ${called(label.name)}`).join(", ");
  return `${schema.nodes.toLocaleString()} nodes, ${schema.relationships.toLocaleString()} relationships${kinds ? `: ${kinds}` : ""}.`;
}

// `open` asks a question in the thread.
export function showGraph(open, problem) {
  if (picture) return;
  const { schema } = state;
  const place = element("div", { class: "picture", role: "img", "aria-label": "Picture of the schema; the cards and the table below hold the same" });
  find("graph-view").replaceChildren(
    element("h2", {}, schema.name),
    element("p", {}, `${sentence(schema)} At ${schema.address}.`),
    ...search(problem),
    element("h2", {}, "Labels"), element("div", { class: "board" }, telling(schema).map((label) => labelCard(label, open))),
    element("h2", {}, "Relationship types"), element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Relationship types" }, table(`${schema.relations.length}`, ["type", "from", "to", "relationships", "properties"], schema.relations.map(relationRow))),
    element("h2", {}, "Picture"), place);
  const kinds = new Map(schema.labels.map((label) => [called(label.name), label.name]));
  picture = new Picture(place, schemaTriples(schema), { kinds: (name) => kinds.get(name) || "" });
  place.picture = picture;
}

function relationRow(relation) {
  const pairs = ends(state.schema, relation);
  const list = (at) => [...new Set(pairs.map((pair) => called(pair[at])))].join(", ");
  return [own(relation.name), list(0), list(1), relation.relationships.toLocaleString(), relation.properties.map((item) => own(item.key)).join(", ")];
}

function labelCard(label, open) {
  const missing = (item) => (item.share < 1 ? ` (${Math.round(100 * item.share)} % have it)` : "");
  const rows = label.properties.map((item) => [own(item.key), (item.examples || []).slice(0, 3).join(", ") + missing(item)]);
  return element("article", { class: "card small" },
    element("header", {}, element("h3", {}, own(label.name)), element("span", { class: "quiet" }, label.nodes.toLocaleString())),
    ...(rows.length ? [table("", ["property", "examples"], rows)] : []),
    button(`which ${label.plural} are there?`, () => open({ kind: "ask", question: `which ${label.plural} are there?` })));
}

// A search over the nodes' names, and a page for the node that is chosen.
function search(problem) {
  const found = element("div", { class: "chips", "aria-live": "polite" });
  const page = element("div");
  let pause = 0;
  const look = async () => {
    try {
      const names = field.value.trim() ? (await get("entities", { text: field.value.trim(), limit: 20 })).entities : [];
      found.replaceChildren(...names.map((entity) => button([entity.name, ...entity.labels.map(called)].join(" · "), () => show(entity.id), { dir: "auto" })));
    } catch (error) {
      problem(error);
    }
  };
  const show = async (id) => {
    try {
      page.replaceChildren(nodePage(await get("neighbours", { id, limit: 100 }), show));
    } catch (error) {
      problem(error);
    }
  };
  const field = element("input", { type: "search", id: "node-search", placeholder: "Find a node by its name", "aria-label": "Find a node by its name", dir: "auto",
    oninput: () => { clearTimeout(pause); pause = setTimeout(look, PAUSE); } });
  return [field, found, page];
}

function nodePage(around, show) {
  const link = (entity) => button(entity.name, () => show(entity.id), { dir: "auto" });
  const properties = Object.entries(around.properties).map(([key, values]) => [called(key), values.join(", ")]);
  const rows = around.triples.map((item) => [link(item.subject), called(item.relation) + (item.detail ? ` ${item.detail}` : ""), link(item.object)]);
  return element("article", { class: "card", id: "node-page" }, element("header", {}, element("h3", { dir: "auto" }, [around.node.name, ...around.node.labels.map(called)].join(" : "))),
    ...(properties.length ? [table("Properties", ["property", "value"], properties)] : []),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Relationships" }, table(`${around.degree.toLocaleString()} relationships${around.degree > rows.length ? `, ${rows.length} shown` : ""}`, ["subject", "relation", "object"], rows)));
}
