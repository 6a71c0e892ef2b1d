// How the values of a property are spread over the nodes of a label: bars, each of which asks for its nodes.
import { get } from "./api.js";
import { button, called, element, table } from "./dom.js";

const WIDEST = 7;
const known = new Map();

// What the server says of a property, asked once for each.
export function valuesOf(label, key, limit = 10) {
  const name = JSON.stringify([label, key, limit]);
  if (!known.has(name)) known.set(name, get("values", { label, key, limit }).catch((error) => { known.delete(name); throw error; }));
  return known.get(name);
}

export const nodes = (number) => `${number.toLocaleString()} ${number === 1 ? "node" : "nodes"}`;

// What a label's nodes were looked at for, where not all were.
export const part = (found) => (found.partial ? `The first ${found.looked_at.toLocaleString()} of about ${nodes(found.nodes)} were looked at.` : "");

// A text that asks for the nodes that the server counted, where a query graph finds them.
export function asking(item, text, open) {
  if (!item.graph) return text;
  return button(text, () => open({ kind: "run", question: item.wording, graph: item.graph }), { title: item.wording, dir: "auto" });
}

// `open` asks a question in the thread.
export function spread(found, open) {
  const having = found.looked_at - found.missing.number;
  const reach = found.least ? `from ${found.least} to ${found.greatest}` : "";
  const missing = found.missing.number ? asking(found.missing, `${found.missing.number.toLocaleString()} without it`, open) : "";
  return element("div", { class: "spread" },
    element("h4", { dir: "auto" }, called(found.key)),
    element("p", { class: "quiet", dir: "auto" }, [[nodes(having), reach].filter(Boolean).join(", "), missing ? "; " : "", missing, ". ", part(found)]),
    ...(found.bins.length ? [bars("How many lie between", ["between", "nodes"], found.bins, open)] : []),
    ...(found.values.length && !(found.bins.length && eachOwn(found)) ? [bars(caption(found), ["value", "nodes"], found.values, open)] : []));
}

const eachOwn = (found) => found.values.every((item) => item.number === 1);

function caption(found) {
  if (eachOwn(found)) return found.more ? "Each value is that of one node; some of them" : "Each value is that of one node";
  return found.more ? "The most frequent values" : "All values";
}

function bars(text, heads, items, open) {
  const most = Math.max(...items.map((item) => item.number));
  const made = table(text, heads, items.map((item) => [asking(item, item.text, open), bar(item.number, most)]));
  made.classList.add("bars");
  return made;
}

function bar(number, most) {
  const drawn = element("span", { class: "bar", "aria-hidden": "true" });
  drawn.style.inlineSize = `${(WIDEST * number) / most}rem`;
  return element("span", { class: "measure" }, drawn, number.toLocaleString());
}
