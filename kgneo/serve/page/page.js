// The page: a thread of questions with their answers, what was saved, and a page about the graph.
import { get, post, takeToken, tokenFromAddress } from "./api.js";
import * as login from "./login.js";
import * as box from "./box.js";
import { button, call, element, find } from "./dom.js";
import { warm } from "./draw.js";
import * as evidence from "./evidence.js";
import * as home from "./home.js";
import { load } from "./kept.js";
import { showSaved } from "./saved.js";
import { state } from "./state.js";
import * as thread from "./thread.js";

const THEME = "kgneo-theme";
const THEMES = { "": ["◐", "as the system"], light: ["☀", "light"], dark: ["☾", "dark"] };

function applyTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  find("theme").textContent = THEMES[theme][0];
  find("theme").setAttribute("aria-label", `Colours: ${THEMES[theme][1]}`);
  evidence.restyle();
  home.restyle();
}

find("theme").addEventListener("click", () => {
  const names = Object.keys(THEMES);
  const next = names[(names.indexOf(localStorage.getItem(THEME) || "") + 1) % names.length];
  localStorage.setItem(THEME, next);
  applyTheme(next);
});

// What goes wrong outside of a card.
function problem(error) {
  if (error.name === "AbortError") return;
  if (login.ask(error)) return;
  if (error.status === 401) {
    find("token-form").hidden = false;
    find("token").focus();
    return;
  }
  find("error").replaceChildren(
    element("p", { dir: "auto" }, error.message),
    error.hint ? element("p", { dir: "auto" }, error.hint) : "", button("Retry", () => begin()));
  find("error").hidden = false;
}

find("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  takeToken(find("token").value);
  find("token").value = "";
  find("token-form").hidden = true;
  begin();
});

const views = { ask: "ask-view", saved: "saved-view", graph: "graph-view" };

let shown = "ask";

function view(name) {
  shown = name;
  for (const [other, id] of Object.entries(views)) {
    find(id).hidden = other !== name;
    find(`view-${other}`).setAttribute("aria-pressed", String(other === name));
  }
  if (name === "graph" && state.schema) home.showGraph(open, problem);
  if (name === "saved" && state.schema) showSaved(open);
}

for (const name of Object.keys(views)) find(`view-${name}`).addEventListener("click", () => view(name));

function open(about) {
  view("ask");
  thread.open(about);
}

// The words in the box, as a question or as a claim.
function send(kind) {
  const question = find("question").value.trim();
  if (!question) return find("question").focus();
  box.close();
  find("question").value = "";
  const strategy = find("strategy").value;
  const model = find("model-choice").hidden ? "" : find("model").value;
  const chosen = kind === "verify" ? {} : { ...(strategy && strategy !== state.known?.default ? { strategy } : {}), ...(model && model !== state.known?.models[0] ? { model } : {}) };
  return thread.open({ kind, question, ...chosen });
}

find("ask-form").addEventListener("submit", (event) => { event.preventDefault(); send("ask"); });
find("verify").addEventListener("click", () => send("verify"));
find("stop").addEventListener("click", () => thread.stop());

async function begin() {
  find("error").hidden = true;
  try {
    const known = await get("strategies");
    state.known = known;
    find("strategy").replaceChildren(...known.strategies.map((name) => element("option", { value: name, selected: name === known.default }, name)));
    find("model").replaceChildren(...known.models.map((name) => element("option", { value: name }, name)));
    const choice = () => { find("model-choice").hidden = !known.with_model.includes(find("strategy").value); };
    find("strategy").onchange = choice;
    choice();
    const first = !state.schema;
    state.schema = await get("schema");
    call(state.schema.shape.names);
    login.done();
    find("graph-name").textContent = state.schema.name;
    find("about").textContent = home.sentence(state.schema);
    find("examples").replaceChildren(...state.schema.examples.map((question) => button(question, () => open({ kind: "ask", question }), { dir: "auto" })));
    await load(problem).catch(problem);
    if (first) thread.restore();
    view(shown);
    furtherExamples();
  } catch (error) {
    if (error.kind !== "GraphEmpty" || !(await home.showEmpty(problem))) return problem(error);
    find("views").hidden = true;
    view("graph");
  }
}

// Questions of other forms about what there is most of, which were asked beforehand.
async function furtherExamples() {
  const largest = home.telling(state.schema).slice(0, 2).filter((label) => label.name !== "Entity");
  const graphs = largest.map((label) => ({ variables: [{ name: "x0", labels: [label.name] }], answer: { of: "x0" } }));
  const found = await Promise.all(graphs.map((graph) => post("next", { graph }).catch(() => ({ next: [] }))));
  find("examples").append(...found.flatMap((item) => item.next).map((item) =>
    button(item.wording, () => open({ kind: "run", question: item.wording, graph: item.graph }), { dir: "auto" })));
}

tokenFromAddress();
login.begin(() => begin());
applyTheme(localStorage.getItem(THEME) || "");
box.begin(problem);
thread.begin(problem);
begin();
find("question").focus();
(window.requestIdleCallback || setTimeout)(warm);
