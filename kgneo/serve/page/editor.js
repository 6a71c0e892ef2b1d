// A query graph that can be changed by hand: each part of it is a row whose slots are menus over what the graph has. What
// it finds now is told below, as it is changed.
import { post } from "./api.js";
import { button, element, plain } from "./dom.js";
import { ends } from "./draw.js";
import { valuesOf } from "./spread.js";
import { state } from "./state.js";

const OPERATORS = ["=", "<>", "<", "<=", ">", ">=", "between", "contains", "starts with", "ends with", "about", "present", "missing"];
const PAUSE = 250;
const VALUES = 50;
const FEW = 500;

// `nodes` names the nodes of the query graph by their ids; `run` gets the query graph that the user wants to see.
export function editor(given, nodes, run) {
  let graph = structuredClone(given);
  let counting = null;
  let pause = 0;
  const place = element("fieldset", {}, element("legend", {}, "The query graph"));
  const count = element("p", { class: "quiet", role: "status", "aria-live": "polite", dir: "auto" });
  const text = element("textarea", { "aria-label": "The query graph as JSON", spellcheck: "false", dir: "ltr" });
  const controls = () => [...place.querySelectorAll("select, input, button")];
  const show = () => {
    text.value = JSON.stringify(graph, null, 1);
    place.replaceChildren(place.firstChild, ...rows(graph, nodes, change));
    clearTimeout(pause);
    pause = setTimeout(tellCount, PAUSE);
  };
  const change = (action) => {
    const at = controls().indexOf(document.activeElement);
    action(graph);
    graph = joined(graph);
    show();
    // All parts were made anew: whoever works by keyboard stays where they were.
    if (at >= 0) controls()[Math.min(at, controls().length - 1)]?.focus();
  };
  async function tellCount() {
    counting?.abort();
    counting = new AbortController();
    try {
      const found = await post("run", { graph, limit: 5 }, counting.signal);
      const number = found.answers.length + found.more;
      count.textContent = `${found.question}: ${number.toLocaleString()} ${number === 1 ? "answer" : "answers"}${number ? ` (${found.answers.join(", ")}${found.more ? ", …" : ""})` : ""}`;
      count.classList.remove("error");
    } catch (error) {
      if (error.name === "AbortError") return;
      count.textContent = error.message;
      count.classList.add("error");
    }
  }
  text.addEventListener("change", () => {
    try {
      graph = JSON.parse(text.value);
      show();
    } catch (error) {
      count.textContent = error.message;
      count.classList.add("error");
    }
  });
  show();
  return element("div", { class: "editor" }, place, count,
    element("div", { class: "row" }, button("Show this", () => run(graph), { class: "run-changed primary" })),
    element("details", {}, element("summary", {}, "As JSON"), text));
}

// What a person calls each variable: the nodes that it stands for, else its label, with a number where there are several.
export function namesOf(graph, nodes) {
  const counted = new Map();
  return new Map(graph.variables.map((item) => {
    const given = (item.ids || []).map((id) => nodes[id] || id);
    if (given.length) return [item.name, given.join(" or ")];
    const label = (item.labels || []).map(plain).join(" ") || plain(led(graph, item.name)) || "thing";
    counted.set(label, (counted.get(label) || 0) + 1);
    return [item.name, counted.get(label) > 1 ? `${label} ${counted.get(label)}` : label];
  }));
}

// The label of a variable that has none, where its relationship types leave but one.
function led(graph, name) {
  const found = (graph.edges || []).filter((edge) => [edge.subject, edge.object].includes(name)).flatMap((edge) =>
    state.schema.relations.filter((item) => edge.relations.includes(item.name)).flatMap((item) => ends(state.schema, item).map((pair) => pair[edge.subject === name ? 0 : 1])));
  return new Set(found).size === 1 ? found[0] : "";
}

function rows(graph, nodes, change) {
  const names = namesOf(graph, nodes);
  const relation = new Map((graph.edges || []).filter((edge) => edge.name).map((edge) => [edge.name, edge.relations.map(plain).join(" or ")]));
  const named = (name) => names.get(name) || relation.get(name) || name;
  const drop = (list, number, what) => button("✕", () => change((made) => made[list].splice(number, 1)), { "aria-label": `Drop: ${what}`, title: "Drop" });
  const bold = (text) => element("bdi", { class: "slot" }, text);
  const edges = (graph.edges || []).map((edge, number) => {
    const types = [...new Set([...edge.relations, ...state.schema.relations.map((item) => item.name)])];
    const chosen = select(types, edge.relations[0], "Relationship type", (value) => change((made) => { made.edges[number].relations = [value]; }), (name) => withNumber(plain(name), relationships(name)));
    const turn = button("⇄", () => change((made) => {
      const one = made.edges[number];
      [one.subject, one.object] = [one.object, one.subject];
    }), { "aria-label": `Turn around: ${edge.relations.join(" or ")}`, title: "Turn around" });
    return element("div", { class: "row" }, bold(named(edge.subject)), edge.absent ? " no " : "", chosen, bold(named(edge.object)), turn, drop("edges", number, edge.relations.join(" or ")));
  });
  const conditions = (graph.conditions || []).map((condition, number) => conditionRow(condition, number, graph, named, change, drop));
  const selections = (graph.selections || []).map((selection, number) => {
    const what = `${selection.descending ? "greatest" : "least"} ${selection.limit || 1} by ${valueText(selection.by, named)}`;
    return element("div", { class: "row" }, bold(what), drop("selections", number, what));
  });
  const answer = graph.answer.of && !graph.answer.key
    ? element("label", { class: "row" }, "Asked for", select(graph.variables.map((item) => item.name), graph.answer.of, "Asked for",
        (value) => change((made) => { made.answer = { of: value }; made.columns = []; }), named))
    : element("p", { class: "row" }, `Asked for: ${valueText(graph.answer, named)}`);
  return [answer, ...edges, ...conditions, ...selections, more(graph, named, change)];
}

function conditionRow(condition, number, graph, named, change, drop) {
  const set = (action) => change((made) => action(made.conditions[number]));
  const left = valueText(condition.left, named);
  const operator = select(OPERATORS, condition.operator || "=", "Comparison", (value) => set((one) => {
    one.operator = value;
    if (["present", "missing"].includes(value)) one.right = [];
  }));
  const listed = Array.isArray(condition.right || []);
  const examples = listed && condition.left.key ? propertiesNamed(condition.left.key).flatMap((item) => item.examples || []) : [];
  const list = element("datalist", { id: `values-${number}-${Math.random().toString(36).slice(2)}` }, examples.map((value) => element("option", { value })));
  const label = listed && condition.left.key ? labelOf(graph, condition.left) : "";
  if (label) {
    valuesOf(label, condition.left.key, VALUES).then((found) => list.replaceChildren(...found.values.map((item) =>
      element("option", { value: item.text, label: withNumber(item.text, item.number) }))), () => {}); // the examples stay
  }
  const fields = listed ? (condition.right || []).map((value, at) => {
    const field = element("input", { value: String(value), "aria-label": "Value", dir: "auto", size: 14, list: list.id });
    field.addEventListener("change", () => set((one) => { one.right[at] = typeof value === "number" ? Number(field.value) : field.value; }));
    return field;
  }) : [valueText(condition.right, named)];
  return element("div", { class: "row" }, element("bdi", { class: "slot" }, left), operator, fields, list, drop("conditions", number, left));
}

// The label whose property a value is: that of its variable, or the only one that has such a property.
function labelOf(graph, value) {
  const variable = graph.variables.find((item) => item.name === value.of);
  if (!variable) return "";
  const owners = state.schema.labels.filter((label) => label.properties.some((item) => item.key === value.key)).map((label) => label.name);
  const own = [...(variable.labels || []), led(graph, value.of)].find((label) => owners.includes(label));
  return own || (owners.length === 1 ? owners[0] : "");
}

// How many there are beside each name in a menu; `about`, where the server has not looked at all of them.
const withNumber = (text, number, about = false) => (number ? `${text} (${about ? "about " : ""}${number.toLocaleString()})` : text);
const relationships = (name) => state.schema.relations.find((item) => item.name === name)?.relationships;

// The relationships of a type between nodes of two labels.
function joining(relation, subject, object) {
  const found = relation.connections.filter((item) => item.subject.includes(subject) && item.object.includes(object));
  return { number: found.reduce((sum, item) => sum + item.times, 0), about: found.some((item) => !item.exact) };
}

// The nodes of a label that have a property: its share is told in three digits.
const having = (label, key) => ({ number: Math.round(label.nodes * key.share), about: key.share < 1 && (label.nodes > FEW || (state.schema.sampled && !state.schema.scanned)) });

const propertiesNamed = (key) => [...state.schema.labels, ...state.schema.relations].flatMap((item) => item.properties).filter((item) => item.key === key);

// What may be added: a step along a relationship type, a condition on a property.
function more(graph, named, change) {
  const fresh = (stem, taken) => { let at = taken.size; while (taken.has(`${stem}${at}`)) at += 1; return `${stem}${at}`; };
  const steps = graph.variables.flatMap((item) => state.schema.relations.flatMap((relation) => ends(state.schema, relation).flatMap(([subject, object]) => [
    ...(fits(item, subject) ? [{ from: item.name, relation: relation.name, label: object, leaving: true, ...joining(relation, subject, object) }] : []),
    ...(fits(item, object) ? [{ from: item.name, relation: relation.name, label: subject, leaving: false, ...joining(relation, subject, object) }] : [])])));
  const keys = graph.variables.flatMap((item) => state.schema.labels.filter((label) => fits(item, label.name)).flatMap((label) => label.properties.map((key) => ({ of: item.name, key, ...having(label, key) }))));
  const step = (at) => change((made) => {
    const { from, relation, label, leaving } = steps[at];
    const name = fresh("x", new Set(made.variables.map((item) => item.name)));
    made.variables.push({ name, labels: [label] });
    made.edges = [...(made.edges || []), { subject: leaving ? from : name, relations: [relation], object: leaving ? name : from, name: fresh("r", new Set((made.edges || []).map((edge) => edge.name))) }];
  });
  const condition = (at) => change((made) => {
    const { of, key } = keys[at];
    const example = key.examples?.[0] ?? "";
    made.conditions = [...(made.conditions || []), { left: { of, key: key.key }, operator: "=", right: [/^(INTEGER|FLOAT|NUMBER)/i.test(key.type) ? Number(example) : example] }];
  });
  const menu = (label, items, text, action) => select(["", ...items.keys()], "", label, (at) => at !== "" && action(Number(at)), (at) => (at === "" ? label : withNumber(text(items[at]), items[at].number, items[at].about)));
  const stepText = (item) => (item.leaving ? `${named(item.from)} ${plain(item.relation)} ${plain(item.label)}` : `${plain(item.label)} ${plain(item.relation)} ${named(item.from)}`);
  return element("div", { class: "row" },
    ...(steps.length ? [menu("+ step", steps, stepText, step)] : []),
    ...(keys.length ? [menu("+ condition", keys, (item) => `${named(item.of)}’s ${plain(item.key.key)}`, condition)] : []));
}

const fits = (variable, label) => !(variable.ids || []).length && (!(variable.labels || []).length || variable.labels.includes(label));

function valueText(value, named) {
  if (!value) return "";
  if (value.function) return `${value.function} of ${valueText(value.value, named)}${value.per ? ` per ${valueText(value.per, named)}` : ""}${value.over ? ` over ${valueText(value.over, named)}` : ""}`;
  if (value.operator) return `${valueText(value.left, named)} ${value.operator} ${valueText(value.right, named)}`;
  return value.key ? `${named(value.of)}’s ${plain(value.key)}` : named(value.of);
}

function select(options, chosen, label, action, text = (value) => value) {
  const made = element("select", { "aria-label": label }, options.map((value) => element("option", { value, selected: value === chosen }, text(value))));
  made.addEventListener("change", () => action(made.value));
  return made;
}

// The parts that still hang together with what is asked for: what a dropped edge held alone goes with it.
function joined(graph) {
  const ways = new Map((graph.edges || []).filter((edge) => edge.name).map((edge) => [edge.name, edge]));
  const variable = (name) => (ways.has(name) ? ways.get(name).object : name);
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
  const known = new Set([...kept, ...ways.keys()]);
  const speaks = (part) => { names.length = 0; collect(part); return names.every((name) => known.has(name)); };
  const made = { ...graph, variables: graph.variables.filter((item) => kept.has(item.name)) };
  if (graph.edges) made.edges = graph.edges.filter((edge) => kept.has(edge.subject));
  if (graph.conditions) made.conditions = graph.conditions.filter(speaks);
  if (graph.selections) made.selections = graph.selections.filter((item) => kept.has(item.variable) && speaks(item.by));
  return made;
}
