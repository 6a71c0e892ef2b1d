// An answer: its text, its figures, its evidence as picture and table, its query.
import { get } from "./api.js";
import { button, called, csv, download, element, readable, table } from "./dom.js";
import { Picture } from "./draw.js";

const LISTED = 200;
const BARS = 30;

let picture = null;

export function restyle() {
  picture?.restyle();
}

export function show(answer, problem, pick) {
  picture?.destroy();
  picture = null;
  const given = (answer.outcome || "answer") === "answer";
  return [
    element("p", { class: given ? "answer" : "message", dir: "auto" }, given ? readable(answer.answer || "not found") : answer.message.split("\n")[0]),
    ...((answer.choices || []).length ? [choices(answer, pick)] : []),
    figures(answer),
    ...((answer.unused || []).length && !answer.warnings.some((text) => text.startsWith("Ignored")) ? [element("p", { class: "warning", dir: "auto" }, `Not used: ${answer.unused.join(", ")}`)] : []),
    ...answer.warnings.map((text) => element("p", { class: "warning", dir: "auto" }, text)),
    ...(answer.steps.length > 1 ? [steps(answer)] : []),
    ...(answer.answers.length > 1 || answer.evidence.length ? [lists(answer)] : []),
    ...(answer.evidence.length ? [evidence(answer, problem)] : []),
    ...(answer.cypher ? [query(answer)] : []),
  ];
}

// The readings that the question may mean: a button each, with how many answers it has and the first of them.
function choices(answer, pick) {
  const told = (item) => `${item.text} (${item.number}: ${item.first.join(", ")}${item.number > item.first.length ? ", …" : ""})`;
  return element("ol", { class: "choices" }, answer.choices.map((item) =>
    element("li", { dir: "auto" }, pick ? button(told(item), () => pick(item.answer)) : told(item))));
}

function figures(answer) {
  const meaning = answer.steps.at(-1)?.question.replace(/\b[XYZ]\b/g, (letter) => answer.entities["XYZ".indexOf(letter)]?.name || letter);
  const parts = [
    meaning ? `Understood as: ${meaning}` : "",
    typeof answer.confidence === "number" ? `confidence ${Math.round(answer.confidence * 100)} %` : "",
    (answer.outcome || "answer") !== "answer" ? "" : answer.grounded ? "from the graph" : "not checked against the graph",
    answer.llm ? `${answer.llm.model}: ${answer.llm.calls} calls` : "",
  ];
  return element("p", { class: "quiet", dir: "auto" }, parts.filter(Boolean).join(" · "));
}

function steps(answer) {
  const items = answer.steps.map((step) => element("li", { dir: "auto" }, `${step.question} — ${step.answer}`));
  return element("div", {}, element("h2", {}, "Steps"), element("ol", {}, items));
}

// "owner: value", as groups are told.
function groups(answers) {
  const found = answers.map((text) => /^(.*): (-?\d+(?:\.\d+)?)$/s.exec(text));
  return answers.length > 1 && found.every(Boolean) ? found.map((match) => [match[1], Number(match[2])]) : [];
}

function lists(answer) {
  const grouped = answer.table ? [] : groups(answer.answers);
  const cells = answer.table ? answer.table.rows.map((row) => row.map((cell) => (cell === null ? "–" : cell))) : [];
  const rows = answer.table ? cells : grouped.length ? grouped : answer.answers.map((text) => [text]);
  const heads = answer.table ? answer.table.columns : grouped.length ? ["of", "value"] : ["answer"];
  const evidenceRows = answer.evidence.map((item) => [item.subject, item.relation, item.detail || "", item.object]);
  const more = rows.length > LISTED || answer.more ? `${Math.min(rows.length, LISTED)} of ${rows.length + answer.more}` : `${rows.length}`;
  return element("div", {},
    ...(rows.length > 1 ? [element("h2", {}, "Answers")] : []),
    ...(grouped.length ? [bars(grouped)] : []),
    ...(rows.length > 1 ? [element("div", { class: "scroll answers", tabindex: "0", role: "region", "aria-label": "Answers" },
      table(`Answers: ${more}`, heads, rows.slice(0, LISTED).map((row) => row.map(readable))))] : []),
    element("div", { class: "row" },
      ...(rows.length ? [button("Answers as CSV", () => download("answers.csv", csv([heads, ...rows])))] : []),
      button("Evidence as CSV", () => download("evidence.csv", csv([["subject", "relation", "detail", "object"], ...evidenceRows])))));
}

function bars(grouped) {
  const shown = [...grouped].sort((one, other) => other[1] - one[1]).slice(0, BARS);
  const most = Math.max(...shown.map(([, value]) => Math.abs(value))) || 1;
  const rows = shown.flatMap(([name, value]) => {
    const bar = element("div", { class: "bar" });
    bar.style.width = `${(90 * Math.abs(value)) / most}%`;
    bar.title = String(value);
    return [element("span", { dir: "auto" }, `${name}: ${readable(value)}`), bar];
  });
  return element("div", { class: "bars", role: "img", "aria-label": "Bar chart of the values in the table below" }, rows);
}

function evidence(answer, problem) {
  const answers = new Set([...answer.answers, ...[...answer.answer_nodes, ...(answer.counted ?? [])].flatMap((node) => node.names)]);
  const values = Object.values(answer.cypher_parameters || {}).flat().filter((value) => typeof value === "string");
  const topics = new Set([...answer.entities.map((entity) => entity.name), ...values]);
  const ids = new Map([...answer.entities.map((entity) => [entity.name, entity.id]), ...answer.answer_nodes.map((node) => [node.names[0], node.id])]);
  const classes = (name) => (topics.has(name) ? "topic" : answers.has(name) ? "answer" : "");
  const place = element("div", { class: "picture", role: "img", "aria-label": `Picture of ${answer.evidence.length} triples; the table beside it holds the same` });
  const details = element("div", { "aria-live": "polite" });
  const expand = async ({ name, node }) => {
    try {
      const around = await get("neighbours", { ...(node || ids.get(name) ? { id: node || ids.get(name) } : { name }), limit: 50 });
      picture?.expand(name, around);
      details.replaceChildren(about(around));
    } catch (error) {
      if (error.status === 404) details.replaceChildren(element("p", { class: "quiet" }, `“${name}” is a value, not a node.`));
      else problem(error);
    }
  };
  const node = (name) => button(name, () => expand({ name }), { "aria-label": `${name}: show what is around it` });
  const rows = answer.evidence.slice(0, LISTED).map((item) => [node(item.subject), item.detail ? `${called(item.relation)} ${item.detail}` : called(item.relation), node(item.object)]);
  const made = element("div", {},
    element("h2", {}, "Evidence"),
    element("p", { class: "quiet" }, element("span", { class: "key topic" }), "asked about", element("span", { class: "key answer-node" }), "answer",
      element("span", { class: "key other" }), "between. Choose a node to see what is around it."),
    element("div", { class: "columns" }, place,
      element("div", {},
        element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Evidence" }, table(`Triples: ${answer.evidence.length}`, ["subject", "relation", "object"], rows)),
        details)));
  const columns = made.querySelector(".columns");
  const enlarge = button("Enlarge the picture", () => {
    const large = columns.classList.toggle("large");
    enlarge.setAttribute("aria-pressed", String(large));
    picture?.fit();
  }, { "aria-pressed": "false" });
  made.append(element("div", { class: "row" }, enlarge, button("Fit the picture", () => picture?.fit())));
  made.drawn = () => {
    const started = performance.now();
    picture = new Picture(place, expand, answer.evidence.map((item) => ({ detail: "", ...item })), classes, ids);
    place.dataset.milliseconds = Math.round(performance.now() - started);
    place.picture = picture;
  };
  return made;
}

function about(around) {
  const rows = Object.entries(around.properties).map(([key, values]) => [called(key), values.join(", ")]);
  return element("div", {}, element("h3", { dir: "auto" }, [around.node.name, ...around.node.labels.map(called)].join(" : ")),
    table(`${around.degree} relationships, ${around.triples.length} shown`, ["property", "value"], rows));
}

function query(answer) {
  const parameters = Object.entries(answer.cypher_parameters);
  const link = /^https?:\/\//.test(answer.browser || "")
    ? element("a", { class: "button", href: answer.browser, target: "_blank", rel: "noopener noreferrer" }, "Open in Neo4j Browser") : "";
  return element("details", {}, element("summary", {}, "Cypher"),
    element("pre", { tabindex: "0", dir: "ltr" }, element("code", {}, answer.cypher)),
    ...(parameters.length ? [table("Parameters", ["name", "value"], parameters.map(([name, value]) => [`$${name}`, JSON.stringify(value)]))] : []),
    element("div", { class: "row" }, link));
}
