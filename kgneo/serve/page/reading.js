// How a question was understood: the readings to choose from, and one query graph that can be changed by hand.
import { button, called, element } from "./dom.js";

const OPERATORS = ["=", "<>", "<", "<=", ">", ">=", "between", "contains", "present", "missing"];

// `run` gets a query graph; `schema` has the relationship types that an edge may be changed to.
export function readings(found, schema, run) {
  const editor = element("div");
  const choose = (reading) => editor.replaceChildren(edited(reading, schema, run));
  const list = found.readings.map((reading) =>
    element("li", {},
      element("span", { dir: "auto" }, reading.wording), " ",
      reading.ignored.length ? element("span", { class: "quiet" }, `ignores ${reading.ignored.map((text) => `“${text}”`).join(", ")} `) : "",
      button("Run", () => { choose(reading); run(reading.graph); }, { "aria-label": `Run: ${reading.wording}` }), " ",
      button("Change", () => { choose(reading); editor.querySelector("button, select, input")?.focus(); }, { "aria-label": `Change: ${reading.wording}` })));
  return element("div", {}, element("ol", {}, list), editor);
}

function edited(reading, schema, run) {
  let graph = structuredClone(reading.graph);
  const nodes = reading.nodes || {};
  const place = element("fieldset", {}, element("legend", {}, "The query graph"));
  const show = () => {
    text.value = JSON.stringify(graph, null, 1);
    place.replaceChildren(place.firstChild, ...parts(graph, nodes, schema, change));
  };
  const controls = () => [...place.querySelectorAll("select, input, button")];
  const change = (action) => {
    const at = controls().indexOf(document.activeElement);
    action(graph);
    graph = joined(graph);
    show();
    // All parts were made anew: whoever works by keyboard stays where they were.
    if (at >= 0) controls()[Math.min(at, controls().length - 1)]?.focus();
  };
  const text = element("textarea", { "aria-label": "The query graph as JSON", spellcheck: "false", dir: "ltr" });
  const problem = element("p", { class: "error", role: "alert", hidden: true });
  text.addEventListener("change", () => {
    problem.hidden = true;
    try { graph = JSON.parse(text.value); show(); } catch (error) { problem.hidden = false; problem.textContent = error.message; }
  });
  show();
  return element("div", {}, place,
    element("details", {}, element("summary", {}, "As JSON"), text, problem),
    button("Run the changed query graph", () => run(graph), { class: "run-changed" }));
}

function parts(graph, nodes, schema, change) {
  const named = (name) => {
    const variable = graph.variables.find((item) => item.name === name);
    const names = (variable?.ids || []).map((id) => nodes[id] || id);
    return names.join(" or ") || [name, ...(variable?.labels || []).map(called)].join(" : ");
  };
  const drop = (list, number, what) =>
    button("Drop", () => change((made) => made[list].splice(number, 1)), { "aria-label": `Drop: ${what}` });
  const edges = (graph.edges || []).map((edge, number) => {
    const types = [...new Set([...edge.relations, ...schema.relations.map((item) => item.name)])];
    const chosen = select(types, edge.relations[0], "Relationship type", (value) => change((made) => { made.edges[number].relations = [value]; }), called);
    const turn = button("Turn", () => change((made) => {
      const one = made.edges[number];
      [one.subject, one.object] = [one.object, one.subject];
    }), { "aria-label": `Turn around: ${edge.relations.join(" or ")}` });
    return element("div", { class: "row" }, element("bdi", {}, named(edge.subject)), edge.absent ? " no " : " ─ ", chosen, " → ",
      element("bdi", {}, named(edge.object)), turn, drop("edges", number, edge.relations.join(" or ")));
  });
  const conditions = (graph.conditions || []).map((condition, number) => {
    const set = (action) => change((made) => action(made.conditions[number]));
    const operator = select(OPERATORS, condition.operator || "=", "Comparison", (value) => set((one) => { one.operator = value; }));
    const right = Array.isArray(condition.right || []) ? (condition.right || []) : null;
    const values = right?.map((value, at) => {
      const field = element("input", { value: String(value), "aria-label": "Value", dir: "auto", size: 14 });
      field.addEventListener("change", () => set((one) => { one.right[at] = typeof value === "number" ? Number(field.value) : field.value; }));
      return field;
    });
    const left = valueText(condition.left, named);
    return element("div", { class: "row" }, element("bdi", {}, left), operator, values || valueText(condition.right, named), drop("conditions", number, left));
  });
  const selections = (graph.selections || []).map((selection, number) => {
    const what = `${selection.descending ? "greatest" : "least"} ${selection.limit || 1} by ${valueText(selection.by, named)}`;
    return element("div", { class: "row" }, element("bdi", {}, what), drop("selections", number, what));
  });
  const answer = graph.answer.of
    ? [element("label", { class: "row" }, "Asked for", select(graph.variables.map((item) => item.name), graph.answer.of, "Asked for",
        (value) => change((made) => { made.answer = { of: value }; }), named))]
    : [element("p", { class: "row" }, `Asked for: ${valueText(graph.answer, named)}`)];
  return [...answer, ...edges, ...conditions, ...selections];
}

function valueText(value, named) {
  if (!value) return "";
  if (value.function) return `${value.function} of ${valueText(value.value, named)}${value.per ? ` per ${valueText(value.per, named)}` : ""}${value.over ? ` over ${valueText(value.over, named)}` : ""}`;
  if (value.operator) return `${valueText(value.left, named)} ${value.operator} ${valueText(value.right, named)}`;
  return value.key ? `${named(value.of)}’s ${called(value.key)}` : named(value.of);
}

function select(options, chosen, label, action, text = (value) => value) {
  const made = element("select", { "aria-label": label }, options.map((value) => element("option", { value, selected: value === chosen }, text(value))));
  made.addEventListener("change", () => action(made.value));
  return made;
}

// The parts that still hang together with what is asked for: what a dropped edge held alone goes with it.
function joined(graph) {
  const ends = new Map((graph.edges || []).filter((edge) => edge.name).map((edge) => [edge.name, edge]));
  const variable = (name) => (ends.has(name) ? ends.get(name).object : name);
  const names = [];
  const collect = (part) => {
    if (!part || typeof part !== "object") return;
    if (part.of) names.push(part.of);
    for (const inner of Object.values(part)) collect(inner);
  };
  collect(graph.answer);
  const kept = new Set(names.map(variable));
  for (let size = -1; size !== kept.size;) {
    size = kept.size;
    for (const edge of graph.edges || []) {
      if (kept.has(edge.subject)) kept.add(edge.object);
      if (kept.has(edge.object)) kept.add(edge.subject);
    }
  }
  const known = new Set([...kept, ...ends.keys()]);
  const speaks = (part) => { names.length = 0; collect(part); return names.every((name) => known.has(name)); };
  const made = { ...graph, variables: graph.variables.filter((item) => kept.has(item.name)) };
  if (graph.edges) made.edges = graph.edges.filter((edge) => kept.has(edge.subject));
  if (graph.conditions) made.conditions = graph.conditions.filter(speaks);
  if (graph.selections) made.selections = graph.selections.filter((item) => kept.has(item.variable) && speaks(item.by));
  return made;
}
