// How an answer came about: its query graph as a picture, its steps, its Cypher, its parameters.
import { button, element, plain, table, whenSeen } from "./dom.js";
import { Picture } from "./draw.js";
import { namesOf } from "./editor.js";

const values = (condition) => (Array.isArray(condition.right) ? condition.right.join(" or ") : "…");
const tests = (graph, name) => (graph.conditions || []).filter((one) => one.left.of === name && one.left.key)
  .map((one) => `${plain(one.left.key)} ${one.operator || "="} ${values(one)}`.trim());

// The query graph as triples of what people call its variables, each with what it must be; what is asked for, and the
// rest of what is told apart.
function triplesOf(answer) {
  const graph = answer.query_graph;
  const called = namesOf(graph, Object.fromEntries(answer.entities.map((entity) => [entity.id, entity.name])));
  const names = new Map(graph.variables.map((item) => [item.name, [called.get(item.name), ...tests(graph, item.name)].join(", ")]));
  const topics = new Set(graph.variables.filter((item) => item.ids?.length || tests(graph, item.name).length).map((item) => names.get(item.name)));
  const triples = (graph.edges || []).map((edge) => ({ detail: "", subject: names.get(edge.subject), object: names.get(edge.object),
    relation: `${edge.absent ? "no " : ""}${edge.relations.map(plain).join(" or ") || "anything"}` }));
  return { triples, asked: names.get(graph.answer.of ?? graph.answer.value?.of), topics };
}

function picture(answer) {
  const { triples, asked, topics } = triplesOf(answer);
  if (!triples.length) return [];
  const told = triples.map((one) => `${one.subject} — ${one.relation} → ${one.object}`).join("; ");
  const place = element("div", { class: "sketch", role: "img", "aria-label": `Picture of the query graph: ${told}` });
  const roles = (name) => (name === asked ? "answer" : topics.has(name) ? "topic" : "");
  whenSeen(place, () => { place.picture = new Picture(place, triples, { roles }); });
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
