// How an answer came about: its query graph as a picture, its steps, its Cypher, its parameters.
import { button, element, plain, table, whenSeen } from "./dom.js";
import { Picture } from "./draw.js";

const text = (value) => (value.key ? `${plain(value.key)}` : "");
const values = (condition) => (Array.isArray(condition.right) ? condition.right.join(" or ") : "…");

// What stands in the node of a variable: its label, and what it must be.
function named(graph, item, number) {
  const label = (item.labels || []).map(plain).join(" ") || "thing";
  const tests = (graph.conditions || []).filter((one) => one.left.of === item.name && one.left.key)
    .map((one) => `${text(one.left)} ${one.operator || "="} ${values(one)}`.trim());
  const alone = graph.variables.filter((other) => String(other.labels) === String(item.labels)).length === 1;
  return [alone || tests.length ? label : `${label} ${number + 1}`, ...tests].join(", ");
}

// The query graph as triples, which are drawn as those of an answer are.
export function triplesOf(graph) {
  const names = new Map(graph.variables.map((item, number) => [item.name, named(graph, item, number)]));
  const asked = names.get(graph.answer.of ?? graph.answer.value?.of) || "";
  const triples = (graph.edges || []).map((edge) => ({ detail: "", subject: names.get(edge.subject), object: names.get(edge.object),
    relation: `${edge.absent ? "no " : ""}${edge.relations.map(plain).join(" or ") || "anything"}` }));
  return { triples, asked };
}

function picture(answer) {
  const { triples, asked } = triplesOf(answer.query_graph);
  if (!triples.length) return [];
  const place = element("div", { class: "sketch", role: "img", "aria-label": `Picture of the query graph: ${triples.map((one) => `${one.subject} — ${one.relation} → ${one.object}`).join("; ")}` });
  const role = (name) => (name === asked ? "answer" : name.includes(", ") ? "topic" : "");
  whenSeen(place, () => { place.picture = new Picture(place, triples, { roles: role }); });
  return [element("h3", {}, "Query graph"), place];
}

export function query(answer) {
  const parameters = Object.entries(answer.cypher_parameters || {});
  const link = /^https?:\/\//.test(answer.browser || "")
    ? element("a", { class: "button", href: answer.browser, target: "_blank", rel: "noopener noreferrer" }, "Open in Neo4j Browser") : "";
  const copied = element("span", { class: "quiet", role: "status" });
  const copy = button("Copy", () => navigator.clipboard.writeText(answer.query || answer.cypher).then(() => { copied.textContent = "Copied."; }), { "aria-label": "Copy the Cypher" });
  const steps = (answer.how || []).length ? answer.how : answer.steps.length > 1 ? answer.steps.map((step) => `${step.question} — ${step.answer}`) : [];
  return element("div", {},
    ...(answer.query_graph ? picture(answer) : []),
    ...(steps.length ? [element("h3", {}, "Steps"), element("ol", {}, steps.map((text) => element("li", { dir: "auto" }, text)))] : []),
    ...(answer.llm ? [element("p", { class: "quiet" }, `${answer.llm.model}: ${answer.llm.calls} calls`)] : []),
    ...(answer.cypher ? [
      element("h3", {}, "Cypher"),
      element("pre", { tabindex: "0", dir: "ltr" }, element("code", {}, answer.cypher)),
      ...(parameters.length ? [table("Parameters", ["name", "value"], parameters.map(([name, value]) => [`$${name}`, JSON.stringify(value)]))] : []),
      element("div", { class: "row" }, copy, link, copied)] : [element("p", { class: "quiet" }, "No single query gave this answer.")]));
}
