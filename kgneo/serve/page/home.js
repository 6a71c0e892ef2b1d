// About the graph: its labels with what they hold, its relationship types from where to where, its nodes, its quality.
import { get } from "./api.js";
import { button, called, element, find, table } from "./dom.js";
import { Picture, ends, schemaTriples } from "./draw.js";
import { quality } from "./quality.js";
import { spread, valuesOf } from "./spread.js";
import { state } from "./state.js";

const PAUSE = 150;
let picture = null;
let panels = 0;

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
  const looking = search(problem);
  const loading = element("details", { id: "load-details", hidden: true }, element("summary", {}, "Load a file into a new graph"));
  offerLoading(loading, problem);
  const place = element("div", { class: "picture", role: "img", "aria-label": "Picture of the schema; the cards and the table below hold the same" });
  find("graph-view").replaceChildren(
    element("h2", {}, schema.name),
    element("p", {}, `${sentence(schema)} At ${schema.address}.`),
    loading,
    ...looking.parts,
    element("h2", {}, "Labels"), element("div", { class: "board" }, telling(schema).map((label) => labelCard(label, open, problem))),
    element("h2", {}, "Quality"), quality(open, looking.seek, problem),
    element("h2", {}, "Relationship types"), element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Relationship types" }, table(`${schema.relations.length}`, ["type", "from", "to", "relationships", "properties"], schema.relations.map(relationRow))),
    element("h2", {}, "Picture"), place);
  const kinds = new Map(schema.labels.map((label) => [called(label.name), label.name]));
  picture = new Picture(place, schemaTriples(schema), { kinds: (name) => kinds.get(name) || "" });
  place.picture = picture;
}

// What the server says of loading files, and the part of the page for it, which is fetched when it is needed.
const aboutLoading = () => get("loading").catch(() => ({ allowed: false }));
const partFor = async (about, problem) => (await import("./load.js")).loadPart(about, problem);

// Shows the element, empty until it is opened, where this server loads files.
async function offerLoading(details, problem) {
  const about = await aboutLoading();
  details.hidden = !about.allowed;
  details.addEventListener("toggle", async () => details.append(await partFor(about, problem)), { once: true });
}

// Where nothing was loaded yet: whether files can be loaded here.
export async function showEmpty(problem) {
  const about = await aboutLoading();
  if (about.allowed) find("graph-view").replaceChildren(element("h2", {}, "Load a file"), await partFor(about, problem));
  return about.allowed;
}

function relationRow(relation) {
  const pairs = ends(state.schema, relation);
  const list = (at) => [...new Set(pairs.map((pair) => called(pair[at])))].join(", ");
  return [own(relation.name), list(0), list(1), relation.relationships.toLocaleString(), relation.properties.map((item) => own(item.key)).join(", ")];
}

// A label with its properties, of which one that is chosen shows its values.
function labelCard(label, open, problem) {
  const place = element("div", { id: `values-${(panels += 1)}`, role: "region", "aria-label": `Values of ${own(label.name)}`, hidden: true });
  let shown = null;
  const choose = async (key, chosen) => {
    shown?.setAttribute("aria-expanded", "false");
    shown = shown === chosen ? null : chosen;
    shown?.setAttribute("aria-expanded", "true");
    place.hidden = !shown;
    place.replaceChildren(element("p", { class: "quiet", role: "status" }, "…"));
    try {
      const found = shown && spread(await valuesOf(label.name, key), open);
      if (found && shown === chosen) place.replaceChildren(found);
    } catch (error) {
      place.hidden = true;
      problem(error);
    }
  };
  const property = (key) => {
    const made = button(own(key), () => choose(key, made), { "aria-expanded": "false", "aria-controls": place.id, title: `The values of ${own(key)}` });
    return made;
  };
  const missing = (item) => (item.share < 1 ? ` (${Math.round(100 * item.share)} % have it)` : "");
  const rows = label.properties.map((item) => [property(item.key), (item.examples || []).slice(0, 3).join(", ") + missing(item)]);
  return element("article", { class: "card small" },
    element("header", {}, element("h3", {}, own(label.name)), element("span", { class: "quiet" }, label.nodes.toLocaleString())),
    ...(rows.length ? [table("", ["property", "examples"], rows)] : []),
    place,
    button(`which ${label.plural} are there?`, () => open({ kind: "ask", question: `which ${label.plural} are there?` })));
}

// A search over the nodes' names, and a page for the node that is chosen: {parts, seek}, where `seek` looks for a name.
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
  const seek = (name) => {
    field.value = name;
    field.focus();
    field.scrollIntoView({ block: "center" });
    return look();
  };
  return { parts: [field, found, page], seek };
}

function nodePage(around, show) {
  const link = (entity) => button(entity.name, () => show(entity.id), { dir: "auto" });
  const properties = Object.entries(around.properties).map(([key, values]) => [called(key), values.join(", ")]);
  const rows = around.triples.map((item) => [link(item.subject), called(item.relation) + (item.detail ? ` ${item.detail}` : ""), link(item.object)]);
  return element("article", { class: "card", id: "node-page" }, element("header", {}, element("h3", { dir: "auto" }, [around.node.name, ...around.node.labels.map(called)].join(" : "))),
    ...(properties.length ? [table("Properties", ["property", "value"], properties)] : []),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Relationships" }, table(`${around.degree.toLocaleString()} relationships${around.degree > rows.length ? `, ${rows.length} shown` : ""}`, ["subject", "relation", "object"], rows)));
}
