// What was asked and what was saved of this graph. Saved questions stand on one board, that is asked anew at once; a name
// in [brackets] is a slot.
import { ask, post } from "./api.js";
import { button, element, find, readable } from "./dom.js";
import { addSaved, asked, clearAsked, leftHere, removeSaved, renameSaved, same, saved } from "./kept.js";

const FIRST = 10;

export const isSaved = (about) => saved().some((item) => same(item.about, about));

export const toggleSaved = (about) => (isSaved(about) ? removeSaved(about) : addSaved(about));

// The board and the history; `open` asks a question in the thread.
export function showSaved(open) {
  const items = saved();
  const boards = items.map((item) => board(item, open));
  const refresh = button("Ask all again", () => boards.forEach((one) => one.run()));
  find("saved-view").replaceChildren(
    element("div", { class: "row" }, element("h2", {}, "Saved"), ...(items.length ? [refresh] : []), ...takeOver(open)),
    ...(items.length ? [element("div", { class: "board" }, boards.map((one) => one.node))] : [element("p", { class: "quiet" }, "Nothing yet: ☆ on a card saves its question.")]),
    element("h2", {}, "History"),
    ...history(open));
  boards.forEach((one) => one.run());
}

// What this browser had before the server kept anything becomes the server's when somebody says so.
function takeOver(open) {
  const left = leftHere();
  const take = async () => {
    for (const item of left.reverse()) await addSaved(item.about, item.name || undefined);
    showSaved(open);
  };
  return left.length ? [button(`Take over ${left.length} of this browser`, take, { id: "take-over" })] : [];
}

function history(open) {
  const items = asked();
  if (!items.length) return [element("p", { class: "quiet" }, "Nothing was asked yet.")];
  const clear = button("Clear the history", () => { clearAsked(); showSaved(open); }, { id: "clear-history" });
  return [clear, element("ol", { id: "asked" }, items.map((item) => element("li", { dir: "auto" }, button(item.about.question, () => open(item.about)), ` ${item.answer || when(item)}`)))];
}

const when = (item) => (item.at ? new Date(item.at).toLocaleString() : "");

// Text and names in brackets in turn: "which rivers flow through [Germany]?"
const slots = (text) => text.split(/\[([^\]]*)\]/);

function board(item, open) {
  const parts = slots(item.about.question);
  const fields = parts.map((part, at) => (at % 2 ? element("input", { value: part, "aria-label": `In place of ${part}`, dir: "auto", size: Math.max(6, part.length) }) : null));
  const place = element("div", { class: "quiet", role: "status" });
  const current = () => {
    if (item.about.kind !== "ask" || parts.length < 2) return item.about;
    return { ...item.about, question: parts.map((part, at) => (at % 2 ? `[${fields[at].value.trim() || part}]` : part)).join("") };
  };
  const run = async () => {
    place.textContent = "…";
    try {
      place.textContent = shortly(await found(current()));
    } catch (error) {
      place.textContent = error.message;
    }
  };
  const name = element("input", { value: item.name, "aria-label": "Name", class: "name", dir: "auto", maxlength: "500", onchange: () => renameSaved(item.about, name.value || item.name) });
  const sentence = element("form", { class: "sentence", dir: "auto", onsubmit: (event) => { event.preventDefault(); run(); } }, parts.map((part, at) => fields[at] || part));
  const node = element("article", { class: "card small" },
    element("header", {}, name, element("div", { class: "row" },
      button("Open", () => open(current()), { "aria-label": `Open: ${item.name}` }),
      button("✕", () => { removeSaved(item.about); node.remove(); }, { "aria-label": `Remove: ${item.name}` }))),
    sentence, place);
  return { node, run };
}

async function found(about) {
  if (about.kind === "verify") return post("verify", { claim: about.question });
  if (about.kind === "run") return post("run", { graph: about.graph });
  return ask({ question: about.question, ...(about.strategy ? { strategy: about.strategy } : {}) }, () => {}, undefined);
}

function shortly(answer) {
  if (answer.verdict) return answer.verdict;
  if ((answer.outcome || "answer") !== "answer") return answer.message.split("\n")[0];
  const more = answer.answers.length - FIRST + answer.more;
  return readable(answer.answers.length ? `${answer.answers.slice(0, FIRST).join(", ")}${more > 0 ? ` and ${more.toLocaleString()} more` : ""}` : answer.answer);
}
