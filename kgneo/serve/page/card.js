// A card: one question (or claim, or query graph), what came of it, and what can be done with that.
import { ask, post } from "./api.js";
import { addressOf } from "./address.js";
import { answersTable } from "./answers.js";
import { canDraw, chart } from "./chart.js";
import { asAnswer, claim } from "./claim.js";
import { button, counted, element, whenSeen } from "./dom.js";
import { evidence } from "./evidence.js";
import { feedback } from "./feedback.js";
import { query } from "./query.js";
import { readings } from "./readings.js";
import { rowsOf } from "./rows.js";
import { answered, confidence, isTabular, meaning, question } from "./sentence.js";
import { state } from "./state.js";
import { isSaved, toggleSaved } from "./saved.js";

const STAGES = {
  connect: "Looking for connections", recall: "Recalling verified questions", interpret: "Reading the question", link: "Finding what it is about",
  form: "What kind of answer it asks for", select: "Choosing relations", try: "Trying the likeliest readings", auto: "Deciding", answer: "Answering",
  decompose: "Splitting the question", synthesise: "Putting it together",
};
let numbers = 0;

// `thread` is what the card stands in: {changed(card), open(about), follow(card), remove(card)}.
export class Card {
  constructor(about, thread, { answer = null, own = false } = {}) {
    Object.assign(this, { about, thread, answer, own, number: (numbers += 1), running: null, parts: null });
    this.head = element("h2", { id: `asked-${this.number}`, class: "asked", dir: "auto" }, about.question);
    this.star = button("☆", () => this.keep(), { "aria-label": "Save the question", title: "Save" });
    this.place = element("div");
    this.node = element("article", { class: "card", id: `card-${this.number}`, "aria-labelledby": `asked-${this.number}`, tabindex: "-1" },
      element("header", {}, this.head, element("div", { class: "row" }, this.star,
        button("🔗", () => this.link(), { "aria-label": "Copy a link to this answer", title: "Link" }),
        button("✕", () => thread.remove(this), { "aria-label": `Remove: ${about.question}`, title: "Remove" }))),
      this.place);
    this.showSaved();
    if (answer) this.present(answer);
  }

  get address() {
    return addressOf(this.about);
  }

  // What the next question of the conversation is told of this one.
  get turn() {
    const given = this.answer?.outcome === "answer" && this.about.kind !== "verify";
    return given ? { question: this.answer.question.slice(0, 2000), answer: this.answer.answer.slice(0, 2000), query_graph: this.answer.query_graph || null } : null;
  }

  showSaved() {
    const saved = isSaved(this.about);
    this.star.textContent = saved ? "★" : "☆";
    this.star.setAttribute("aria-pressed", String(saved));
  }

  keep() {
    toggleSaved(this.about);
    this.showSaved();
  }

  async link() {
    const address = new URL(this.address, location.href).href;
    await navigator.clipboard?.writeText(address).catch(() => {});
    history.replaceState(history.state, "", this.address);
    this.tell("The link is in the address bar, and was copied.");
  }

  tell(text) {
    this.node.querySelector(".told")?.remove();
    this.place.prepend(element("p", { class: "quiet told", role: "status" }, text));
  }

  async run(history = []) {
    this.running = new AbortController();
    const stage = element("span", { dir: "auto" }, "Asking …");
    const writing = element("p", { class: "writing", dir: "auto" });
    this.place.replaceChildren(element("p", { class: "quiet status", role: "status", "aria-live": "polite" }, element("span", { class: "spinner", "aria-hidden": "true" }), stage), writing);
    try {
      this.present(await this.asked(history, (name, data) => {
        if (name === "text") return writing.append(data.text);
        stage.textContent = (STAGES[data.stage] || data.stage) + (data.text ? `: ${data.text}` : "");
        return undefined;
      }));
    } catch (error) {
      this.problem(error);
    } finally {
      this.running = null;
    }
  }

  async asked(history, tell) {
    const { kind, question: words, graph, strategy, model } = this.about;
    const { signal } = this.running;
    if (kind === "verify") return { ...(await post("verify", { claim: words }, signal)), kind };
    if (kind === "run") return this.ran(await post("run", { graph }, signal));
    return ask({ question: words, history, ...(strategy ? { strategy } : {}), ...(model ? { model } : {}) }, tell, signal);
  }

  ran(found) {
    return { ...found, query_graph: found.graph, confidence: null };
  }

  stop() {
    this.running?.abort();
  }

  problem(error) {
    if (error.name === "AbortError") return this.place.replaceChildren(element("p", { class: "quiet" }, "Stopped. ", button("Ask again", () => this.run())));
    if (error.status === 401 || error.kind === "LoginNotTaken") this.thread.refused(error);
    // Before an answer is there, the error takes its place; behind it, it is told beside it.
    const missing = [...this.about.question.matchAll(/\[([^\]]*)\]/g)].map((match) => match[1]).filter((name) => error.message.includes(name));
    const near = (error.nearest || []).map((name) => button(name, () => this.thread.open({ ...this.about, question: this.with(name, missing) })));
    const told = element("div", { class: "error", role: "alert" }, element("p", { dir: "auto" }, error.message),
      error.hint && !near.length ? element("p", { dir: "auto" }, error.hint) : "",
      element("div", { class: "chips" }, near, ...(this.answer ? [] : [button("Retry", () => this.run())])));
    this.node.querySelector(".error")?.remove();
    if (this.answer) this.place.append(told);
    else this.place.replaceChildren(told);
    return undefined;
  }

  // The answer of the card from now on: that of its question, of a choice, of another reading.
  present(answer, own = this.own) {
    Object.assign(this, { answer, own });
    this.parts?.destroy();
    this.parts = null;
    const problem = (error) => this.problem(error);
    this.head.replaceChildren(...question(this.about.question, answer));
    if (answer.kind === "verify") this.place.replaceChildren(...claim(answer), ...this.warnings(answer), ...this.tabs(asAnswer(answer), problem));
    else if ((answer.outcome || "answer") !== "answer") this.place.replaceChildren(...this.otherwise(answer, problem));
    else this.place.replaceChildren(...this.given(answer, problem));
    this.thread.changed(this);
  }

  given(answer, problem) {
    const words = answered(answer, (at) => this.cite(at));
    const sure = confidence(answer);
    const read = meaning(answer);
    const shown = read && read !== this.about.question ? `Read as: ${read}` : "";
    return [
      element("p", { class: "answer", dir: "auto" }, words),
      element("p", { class: "quiet", dir: "auto" },
        sure ? element("span", { class: `badge ${sure.level}`, title: `${Math.round(answer.confidence * 100)} %` }, `${sure.level} confidence`) : "",
        sure ? ` ${sure.reason}. ` : " ", shown, answer.grounded ? "" : " Not checked against the graph."),
      ...this.warnings(answer),
      ...this.tabs(answer, problem),
      ...(answer.query_graph ? [this.next(answer)] : []),
      element("div", { class: "row below" },
        feedback(answer.question, answer.query_graph, problem, this.own),
        ...(state.known?.models.length ? [button("Follow up", () => this.thread.follow(this))] : [])),
      readings(answer.question, answer.query_graph, (graph) => this.take(graph), problem),
    ];
  }

  warnings(answer) {
    return answer.warnings.map((text) => element("p", { class: "warning", dir: "auto" }, text));
  }

  // No answer: the readings that the question may mean, or what is not in the graph.
  otherwise(answer, problem) {
    const told = (item) => [element("strong", {}, item.text), ` ${counted(item.number, item.first)}`];
    const choices = answer.choices.map((item) => element("li", {}, button(told(item), () => this.choose(item), { class: "choice", dir: "auto" })));
    const near = answer.nearest.map((name) => button(name, () => this.thread.open({ kind: "ask", question: this.with(name, answer.missing) })));
    return [
      element("p", { class: "message", dir: "auto" }, answer.message.split("\n")[0]),
      ...(choices.length ? [element("ol", { class: "choices" }, choices)] : []),
      ...(near.length ? [element("div", { class: "chips", role: "group", "aria-label": "Names that are alike" }, near)] : []),
      ...this.warnings(answer),
      feedback(this.about.question, null, problem),
      readings(this.about.question, null, (graph) => this.take(graph), problem),
    ];
  }

  // The question with another name in the place of one that is missing.
  with(name, missing) {
    const gone = missing.find((text) => this.about.question.toLowerCase().includes(text.toLowerCase()));
    const at = gone ? this.about.question.toLowerCase().indexOf(gone.toLowerCase()) : -1;
    if (at < 0) return `${this.about.question} [${name}]`;
    const [before, after] = [this.about.question.slice(0, at), this.about.question.slice(at + gone.length)];
    return `${before.replace(/\[$/, "")}[${name}]${after.replace(/^\]/, "")}`;
  }

  choose(item) {
    this.about = item.answer.query_graph ? { kind: "run", question: this.about.question, graph: item.answer.query_graph } : this.about;
    this.present(item.answer, true);
    this.node.focus({ preventScroll: true });
  }

  async take(graph) {
    try {
      const found = this.ran(await post("run", { graph }));
      this.about = { kind: "run", question: this.about.question, graph };
      this.present({ ...found, question: this.about.question }, true);
      this.node.scrollIntoView({ block: "start" });
    } catch (error) {
      this.problem(error);
    }
  }

  // Three questions that go on from here, which were asked beforehand.
  next(answer) {
    const place = element("div", { class: "chips next", role: "group", "aria-label": "Next questions" });
    whenSeen(place, async () => {
      const found = await post("next", { graph: answer.query_graph, several: answer.answers.length > 1 }).catch(() => ({ next: [] }));
      place.replaceChildren(...found.next.map((item) => button([element("span", {}, item.further), element("span", { class: "quiet" }, ` ${counted(item.number, item.first)}`)],
        () => this.thread.open({ kind: "run", question: item.wording, graph: item.graph }), { dir: "auto" })));
    });
    return place;
  }

  // Table, graph, chart, query: the panel of a tab is made when it is first opened.
  tabs(answer, problem) {
    const shown = evidence(answer, problem);
    this.parts = shown;
    const tabs = [
      ...(answer.answers.length > 1 || answer.answer_nodes.length || answer.table || answer.counted?.length ? [["Table", () => this.rows(answer)]] : []),
      ...(answer.evidence.length ? [["Graph", () => shown.node]] : []),
      ...(answer.answers.length > 1 ? [["Chart", () => this.chart(answer)]] : []),
      ["Query", () => query(answer)],
    ];
    const names = tabs.map(([name]) => name);
    const first = isTabular(answer) && names.includes("Table") ? "Table" : names.includes("Graph") ? "Graph" : names[0];
    return [tabbed(`card-${this.number}`, tabs, first, (name, panel) => { if (name === "Graph") whenSeen(panel, () => shown.drawn()); }, (open) => { this.open = open; })];
  }

  cite(at) {
    this.open("Graph");
    this.parts.drawn();
    this.parts.cite(at);
  }

  data(answer) {
    this.rowsOf = this.rowsFor === answer ? this.rowsOf : rowsOf(answer);
    this.rowsFor = answer;
    return this.rowsOf;
  }

  rows(answer) {
    return later(this.data(answer).then((data) => answersTable(data, answer.more)));
  }

  chart(answer) {
    return later(this.data(answer).then((data) => (canDraw(data) ? chart(data, Math.max(280, this.place.clientWidth - 60)) : element("p", { class: "quiet" }, "There are no numbers or dates beside the answers to draw."))));
  }

  remove() {
    this.stop();
    this.parts?.destroy();
    this.node.remove();
  }
}

// An element that is filled when something is there.
function later(coming) {
  const place = element("div", {}, element("p", { class: "quiet" }, "…"));
  coming.then((node) => place.replaceChildren(node), (error) => place.replaceChildren(element("p", { class: "error" }, error.message)));
  return place;
}

function tabbed(id, tabs, first, opened, give) {
  const panels = new Map();
  const place = element("div");
  const open = (name, focus = false) => {
    for (const tab of list.children) {
      const chosen = tab.textContent === name;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      if (chosen && focus) tab.focus();
    }
    for (const [other, panel] of panels) panel.hidden = other !== name;
    if (panels.has(name)) return;
    const panel = element("div", { role: "tabpanel", id: `${id}-${name}`, "aria-label": name }, tabs.find(([other]) => other === name)[1]());
    panels.set(name, panel);
    place.append(panel);
    opened(name, panel);
  };
  const list = element("div", { class: "tabs", role: "tablist", "aria-label": "Views of the answer", onkeydown: (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = tabs.findIndex(([name]) => name === document.activeElement.textContent);
    open(tabs[(at + step + tabs.length) % tabs.length][0], true);
  } }, tabs.map(([name]) => button(name, () => open(name), { role: "tab", "aria-controls": `${id}-${name}` })));
  open(first);
  give(open);
  return element("div", {}, list, place);
}
