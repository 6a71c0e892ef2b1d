// The question box: names of nodes, labels and relationship types are completed while one types.
import { get } from "./api.js";
import { called, element, find, plain } from "./dom.js";
import { state } from "./state.js";

const PAUSE = 120;
const SHOWN = 8;
const WORDS = 3;

const input = find("question");
const names = find("names");
let chosen = -1;
let completing = null;
let pause = 0;

// What of the text is the beginning of a name: behind an open bracket, else the last word.
function fragment() {
  const text = input.value.slice(0, input.selectionStart);
  const open = text.lastIndexOf("[");
  if (open > text.lastIndexOf("]")) return { start: open, text: text.slice(open + 1), bracket: true };
  const word = /(?:^|\s)([^\s\[\]]{3,})$/.exec(text);
  return word ? { start: text.length - word[1].length, text: word[1], bracket: false } : null;
}

// Labels and relationship types that go on as the text begins.
function words(begun) {
  if (begun.bracket || !state.schema) return [];
  const text = begun.text.toLowerCase();
  const kinds = [[state.schema.labels, "label"], [state.schema.relations, "relationship type"]];
  return kinds.flatMap(([items, kind]) => items.map((item) => ({ text: plain(item.name), about: kind })))
    .filter((item) => item.text.startsWith(text) && item.text !== text).slice(0, WORDS);
}

async function complete(tell) {
  completing?.abort();
  const begun = fragment();
  if (!begun?.text.trim()) return close();
  completing = new AbortController();
  try {
    const found = await get("entities", { text: begun.text, limit: SHOWN }, completing.signal);
    const entities = found.entities.map((entity) => ({ put: `[${entity.name}]`, text: [entity.name, ...entity.labels.map(called)].join(" · ") }));
    list([...words(begun).map((item) => ({ put: item.text, text: `${item.text} · ${item.about}` })), ...entities]);
  } catch (error) {
    if (error.status === 401) tell(error);
  }
  return undefined;
}

function list(items) {
  names.replaceChildren(...items.map((item, number) => element("li",
    { id: `name-${number}`, role: "option", "aria-selected": "false", "data-put": item.put, dir: "auto",
      onmousedown: (event) => { event.preventDefault(); take(item.put); } }, item.text)));
  names.hidden = !items.length;
  chosen = -1;
  input.setAttribute("aria-expanded", String(!names.hidden));
}

export function close() {
  clearTimeout(pause);
  completing?.abort();
  names.hidden = true;
  chosen = -1;
  input.setAttribute("aria-expanded", "false");
  input.removeAttribute("aria-activedescendant");
}

function take(put) {
  const begun = fragment();
  const after = begun?.bracket ? input.value.slice(input.selectionStart).replace(/^[^\[]*?\]/, "") : input.value.slice(input.selectionStart);
  const start = begun ? begun.start : input.value.length;
  const before = input.value.slice(0, start) + put;
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

// `tell` gets what went wrong.
export function begin(tell) {
  input.addEventListener("input", () => { clearTimeout(pause); pause = setTimeout(() => complete(tell), PAUSE); });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (names.hidden) return;
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(chosen < 0 ? 0 : -1);
    else if (event.key === "Escape") close();
    else if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0) take(names.children[chosen].dataset.put);
    else return;
    event.preventDefault();
  });
}
