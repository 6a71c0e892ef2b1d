// What loading files would make: how they are read, the first of it, kinds with numbers, and what is left out and why.
import { element, table } from "./dom.js";

const count = (number, one, many = `${one}s`) => `${number.toLocaleString()} ${number === 1 ? one : many}`;

// What a loader is called for people; one that is not known here keeps its own name.
const KINDS = {
  delimited: "delimited text", metaqa: "triples between |", rdf: "RDF", "neo4j-csv": "CSV with neo4j-admin's headers", "graph-jsonl": "JSON lines of a property graph",
};
export const kindOf = (loader) => KINDS[loader] || loader;

function sentence(found) {
  if (!found.rows) return "Nothing of this can be loaded as it is read now.";
  const made = `${count(found.nodes, "node")} and ${count(found.relationships, "relationship")}`;
  return found.kind === "triples" ? `${count(found.rows, "triple")} make ${made}.` : `A property graph of ${made}.`;
}

const scrolled = (name, ...parts) => element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": name }, ...parts);

function first(found) {
  const called = found.kind === "triples" ? "The first triples" : "The first relationships";
  const triples = found.first_triples.length && scrolled(called, table(called, ["subject", "relation", "object"], found.first_triples));
  const properties = (each) => Object.entries(each).map(([key, value]) => `${key}: ${value}`).join(", ");
  const nodes = found.first_nodes.length && scrolled("The first nodes", table("The first nodes", ["labels", "properties"], found.first_nodes.map(([labels, each]) => [labels.join(", "), properties(each)])));
  return [nodes, triples].filter(Boolean);
}

function kinds(found) {
  const counted = (title, head, listed) => listed.total > 0 && element("article", { class: "card small" }, scrolled(title,
    table(`${title}: ${listed.total.toLocaleString()}${listed.total > listed.names.length ? `, ${listed.names.length} shown` : ""}`, head, listed.names.map(([name, number]) => [name, number.toLocaleString()]))));
  const owners = Object.entries(found.properties);
  const properties = owners.length > 0 && element("article", { class: "card small" }, scrolled("Properties",
    table("Properties", ["of", "properties"], owners.map(([owner, keys]) => [owner || "nodes without a label", keys.join(", ")]))));
  return element("div", { class: "board" }, [counted("Labels", ["label", "nodes"], found.labels), counted("Relationship types", ["type", "relationships"], found.relations), properties].filter(Boolean));
}

function leftOut(found) {
  const { total, first: shown } = found.left_out;
  const passed = found.passed_over.length && element("p", { class: "quiet" }, `Passed over, since they hold no nodes or relationships: ${found.passed_over.join(", ")}.`);
  const bad = total && [
    element("p", { class: "warning" }, `${count(total, "line")} cannot be used${total > shown.length ? `; the first ${shown.length}` : ""}:`),
    scrolled("Lines that cannot be used", table("", ["file", "line", "why", "text"], shown)),
  ];
  return [passed, bad].flat().filter(Boolean);
}

// What may help where rows have other columns than triples.
const advice = (found) => !found.rows && found.files.some((file) => file.fields.length > 3) && element("p", {},
  "Choose below which columns are subject, relation and object. Where each row is a thing with its properties, call the column of its ids :ID and that of its kind :LABEL, and choose the file again.");

export function previewed(found) {
  const files = found.files.map((file) => `${file.name}: ${kindOf(file.loader)}`).join("; ");
  const raw = element("details", {}, element("summary", {}, "The first lines as they are"),
    found.files.map((file) => element("figure", {}, element("figcaption", { class: "quiet", dir: "auto" }, file.name), element("pre", { tabindex: "0", dir: "auto" }, file.lines.join("\n")))));
  return [
    element("p", { class: "message" }, sentence(found)), element("p", { class: "quiet", dir: "auto" }, files),
    ...[advice(found)].filter(Boolean), ...leftOut(found), ...first(found), ...(found.rows ? [kinds(found)] : []), raw,
  ];
}
