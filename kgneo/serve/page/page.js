// The page: a question, what happens to it, its answer; and a page about the graph.
import { Failure, ask, get, post, takeToken, tokenFromAddress } from "./api.js";
import { button, call, called, element, find, table } from "./dom.js";
import { Picture, schemaTriples, warm } from "./draw.js";
import { feedback } from "./feedback.js";
import { readings } from "./reading.js";
import { restyle, show } from "./result.js";

const HISTORY = "kgneo-history";
const THEME = "kgneo-theme";
const KEPT = 50;
const TURNS = 6;

let schema = null;
let turns = [];
let running = null;
let schemaPicture = null;

// Colours ---------------------------------------------------------------------------------------------------------

const THEMES = { "": ["◐", "as the system"], light: ["☀", "light"], dark: ["☾", "dark"] };

function applyTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  find("theme").textContent = THEMES[theme][0];
  find("theme").setAttribute("aria-label", `Colours: ${THEMES[theme][1]}`);
  restyle();
  schemaPicture?.restyle();
}

find("theme").addEventListener("click", () => {
  const names = Object.keys(THEMES);
  const next = names[(names.indexOf(localStorage.getItem(THEME) || "") + 1) % names.length];
  localStorage.setItem(THEME, next);
  applyTheme(next);
});

// Errors ----------------------------------------------------------------------------------------------------------

function problem(error) {
  if (error.name === "AbortError") return;
  if (error.status === 401) {
    find("token-form").hidden = false;
    find("token").focus();
    return;
  }
  const place = find("error");
  const nearest = (error.nearest || []).map((name) => button(name, () => {
    const text = find("question").value.replace(/\[[^\]]*\]?/g, "").trim();
    find("question").value = `${text} [${name}]`;
    find("question").focus();
  }));
  place.replaceChildren(element("p", { dir: "auto" }, error.message), error.hint ? element("p", { dir: "auto" }, error.hint) : "",
    element("div", { class: "chips" }, nearest));
  place.hidden = false;
}

find("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  takeToken(find("token").value);
  find("token").value = "";
  find("token-form").hidden = true;
  begin();
});

// Completion of names ---------------------------------------------------------------------------------------------

const input = find("question");
const names = find("names");
let chosen = -1;
let completing = null;

// What of the text is the beginning of a name: behind an open bracket, else the last word.
function fragment() {
  const text = input.value.slice(0, input.selectionStart);
  const open = text.lastIndexOf("[");
  if (open > text.lastIndexOf("]")) return { start: open, text: text.slice(open + 1) };
  const word = /(?:^|\s)([^\s\[\]]{3,})$/.exec(text);
  return word ? { start: text.length - word[1].length, text: word[1] } : null;
}

async function complete() {
  completing?.abort();
  const begun = fragment();
  if (!begun?.text.trim()) return close();
  completing = new AbortController();
  try {
    const found = await get("entities", { text: begun.text, limit: 8 }, completing.signal);
    names.replaceChildren(...found.entities.map((entity, number) =>
      element("li", { id: `name-${number}`, role: "option", "aria-selected": "false", "data-name": entity.name, dir: "auto",
        onmousedown: (event) => { event.preventDefault(); take(entity.name); } },
      [entity.name, ...entity.labels.map(called)].join(" · "))));
    names.hidden = !found.entities.length;
    chosen = -1;
    input.setAttribute("aria-expanded", String(!names.hidden));
  } catch (error) {
    if (error.status === 401) problem(error);
  }
  return undefined;
}

function close() {
  completing?.abort();
  names.hidden = true;
  chosen = -1;
  input.setAttribute("aria-expanded", "false");
  input.removeAttribute("aria-activedescendant");
}

function take(name) {
  const begun = fragment();
  const after = input.value.slice(input.selectionStart).replace(/^[^\[]*?\]/, "");
  const start = begun ? begun.start : input.value.length;
  const before = `${input.value.slice(0, start)}[${name}]`;
  input.value = before + after;
  input.setSelectionRange(before.length, before.length);
  close();
}

function move(step) {
  const items = [...names.children];
  items[chosen]?.setAttribute("aria-selected", "false");
  chosen = (chosen + step + items.length) % items.length;
  items[chosen].setAttribute("aria-selected", "true");
  items[chosen].scrollIntoView({ block: "nearest" });
  input.setAttribute("aria-activedescendant", items[chosen].id);
}

let pause = 0;
input.addEventListener("input", () => { clearTimeout(pause); pause = setTimeout(complete, 120); });
input.addEventListener("blur", close);
input.addEventListener("keydown", (event) => {
  if (names.hidden) return;
  if (event.key === "ArrowDown") move(1);
  else if (event.key === "ArrowUp") move(chosen < 0 ? 0 : -1);
  else if (event.key === "Escape") close();
  else if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0) take(names.children[chosen].dataset.name);
  else return;
  event.preventDefault();
});

// Asking ----------------------------------------------------------------------------------------------------------

find("ask-form").addEventListener("submit", (event) => { event.preventDefault(); send(input.value.trim()); });
find("stop").addEventListener("click", () => running?.abort());

function clear() {
  close();
  for (const id of ["error", "result", "writing"]) find(id).hidden = true;
  for (const id of ["stages", "writing", "result"]) find(id).replaceChildren();
}

async function work(action) {
  running?.abort();
  running = new AbortController();
  const mine = running;
  find("stop").hidden = false;
  try {
    await action(mine.signal);
  } catch (error) {
    problem(error);
  } finally {
    if (running === mine) { find("stop").hidden = true; running = null; }
  }
}

async function send(question) {
  if (!question) return;
  clear();
  await work(async (signal) => {
    const strategy = find("strategy").value;
    const model = find("model-choice").hidden ? "" : find("model").value;
    if (!find("follow").checked) turns = [];
    const body = { question, history: turns.slice(-TURNS), ...(strategy ? { strategy } : {}), ...(model ? { model } : {}) };
    let answer = null;
    try {
      answer = await ask(body, tell, signal);
    } catch (error) {
      // A language model's strategy needs a name to begin at; what the question may mean without one is shown all the same.
      if (error.nearest?.length && strategy !== "paths") await understand({ question, entities: [] }, signal);
      throw error;
    }
    turns.push({ question: answer.question.slice(0, 5000), answer: answer.answer.slice(0, 5000) });
    find("follow-choice").hidden = !find("model").length;
    find("follow").checked = false;
    remember(question, answer.outcome === "answer" ? answer.answer : answer.message);
    present(answer);
    await understand(answer, signal);
  });
}

// A claim is shown as an answer is: its verdict, why, and the triples that say so.
async function verify(claim) {
  if (!claim) return find("question").focus();
  clear();
  return work(async (signal) => {
    const found = await post("verify", { claim }, signal);
    present({
      answer: `${found.verdict}: ${found.explanation}`, answers: [], answer_nodes: [], more: 0, steps: [], cypher: null, grounded: true,
      entities: found.entities.map((name) => ({ name })), evidence: found.evidence, warnings: found.warnings, confidence: found.confidence,
    });
  });
}

find("verify").addEventListener("click", () => verify(input.value.trim()));

const WORDS = {
  connect: "Looking for connections", recall: "Recalling verified questions", interpret: "Reading the question", link: "Finding what it is about", form: "What kind of answer it asks for",
  select: "Choosing relations", try: "Trying the likeliest readings", auto: "Deciding", answer: "Answering", decompose: "Splitting the question", synthesise: "Putting it together",
};

function tell(name, data) {
  if (name === "text") {
    find("writing").hidden = false;
    find("writing").append(data.text);
    return;
  }
  if (data.status === "done" && data.stage === "answer") return;
  const about = data.text ? `: ${data.text}` : "";
  find("stages").append(element("li", { dir: "auto" }, `${WORDS[data.stage] || data.stage}${about}`));
  find("writing").replaceChildren();
}

const behindFigures = (parts) => parts.findIndex((part) => part.classList.contains("quiet")) + 1;

function present(answer) {
  const parts = show(answer, problem, present);
  // A claim has no question of its own, and nothing to be learned.
  if (answer.question) parts.splice(behindFigures(parts), 0, feedback(answer.question, answer.query_graph, problem));
  find("writing").hidden = true;
  find("result").replaceChildren(...parts);
  find("result").hidden = false;
  for (const part of parts) part.drawn?.();
  find("result").focus({ preventScroll: true });
  if (find("result").getBoundingClientRect().top > 0.6 * innerHeight) find("stages").scrollIntoView({ block: "start" });
}

async function understand(answer, signal) {
  let found = null;
  try {
    found = await post("interpret", { question: answer.question }, signal);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return;
  }
  if (!found.readings.length) return;
  const run = (graph) => work(async (ended) => {
    find("error").hidden = true;
    const ran = await post("run", { graph }, ended);
    const kept = find("readings");
    const parts = show(ran, problem);
    parts.splice(behindFigures(parts), 0, feedback(answer.question, ran.graph, problem, true));
    find("result").replaceChildren(...parts, kept);
    for (const part of parts) part.drawn?.();
    find("result").scrollIntoView({ block: "start" });
  });
  find("result").hidden = false;
  find("result").append(element("details", { id: "readings", open: true },
    element("summary", {}, "Other readings of the question, and its query graph"), readings(found, schema, run)));
}

// History ---------------------------------------------------------------------------------------------------------

const remembered = () => JSON.parse(localStorage.getItem(HISTORY) || "[]");

function remember(question, answer) {
  const others = remembered().filter((item) => item.question !== question);
  localStorage.setItem(HISTORY, JSON.stringify([{ question, answer: answer.slice(0, 200) }, ...others].slice(0, KEPT)));
  listHistory();
}

function listHistory() {
  find("asked").replaceChildren(...remembered().map((item) =>
    element("li", { dir: "auto" }, button(item.question, () => again(item.question)), ` ${item.answer}`)));
}

function again(question) {
  input.value = question;
  send(question);
}

find("clear-history").addEventListener("click", () => { localStorage.removeItem(HISTORY); listHistory(); });

// About the graph -------------------------------------------------------------------------------------------------

const views = { ask: "ask-view", graph: "graph-view" };

function view(name) {
  for (const [other, id] of Object.entries(views)) {
    find(id).hidden = other !== name;
    find(`view-${other}`).setAttribute("aria-pressed", String(other === name));
  }
  if (name === "graph" && schema && !schemaPicture) aboutGraph();
}

find("view-ask").addEventListener("click", () => view("ask"));
find("view-graph").addEventListener("click", () => view("graph"));

function aboutGraph() {
  const place = element("div", { class: "picture", role: "img", "aria-label": "Picture of the schema; the tables below hold the same" });
  const own = (name) => (called(name) === name ? name : `${called(name)} (${name})`);
  const keys = (properties) => properties.map((item) => own(item.key)).join(", ");
  const labels = schema.labels.map((item) => [own(item.name), item.nodes.toLocaleString(), keys(item.properties)]);
  const relations = schema.relations.map((item) => [own(item.name), item.relationships.toLocaleString(), keys(item.properties)]);
  find("graph-view").replaceChildren(
    element("h2", {}, "The graph"),
    element("p", {}, `${schema.nodes.toLocaleString()} nodes, ${schema.relationships.toLocaleString()} relationships at ${schema.address}.`),
    place,
    element("h2", {}, "Examples"), element("div", { class: "chips" }, exampleButtons()),
    element("h2", {}, "Labels"), table("Labels", ["label", "nodes", "properties"], labels),
    element("h2", {}, "Relationship types"), table("Relationship types", ["type", "relationships", "properties"], relations));
  schemaPicture = new Picture(place, () => {}, schemaTriples(schema));
}

const exampleButtons = () => schema.examples.map((question) => button(question, () => { view("ask"); again(question); }, { dir: "auto" }));

async function begin() {
  try {
    const known = await get("strategies");
    find("strategy").replaceChildren(...known.strategies.map((name) => element("option", { value: name, selected: name === known.default }, name)));
    find("model").replaceChildren(...known.models.map((name) => element("option", { value: name }, name)));
    const choice = () => { find("model-choice").hidden = !known.with_model.includes(find("strategy").value); };
    find("strategy").onchange = choice;
    choice();
    schema = await get("schema");
    call(schema.shape.names);
    find("examples").replaceChildren(...exampleButtons());
  } catch (error) {
    problem(error);
  }
}

tokenFromAddress();
applyTheme(localStorage.getItem(THEME) || "");
listHistory();
begin();
(window.requestIdleCallback || setTimeout)(warm);
