// Elements made from plain values. Text is only ever set as text, so that nothing in it becomes markup.

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, String(value));
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

// Sums of fractions end in digits that nobody wrote: 50.160000000000004.
export const readable = (text) => String(text).replace(/(?<![\w.])-?\d+\.\d{9,}(?![\w.])/g, (digits) => String(Number(Number(digits).toPrecision(12))));

// What people call a label, a relationship type or a property: `call` is told once, what the schema says.
let calls = {};
export const call = (names) => { calls = names || {}; };
export const called = (name) => (Object.hasOwn(calls, name) ? calls[name] : name);

// The same in words: HAS_BUILDING as "has building".
export const plain = (name) => called(name).replace(/([a-z])([A-Z])/g, "$1 $2").replaceAll("_", " ").toLowerCase();

// A colour of the theme, by its name in page.css.
export const look = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// "12: one, two, three, …": how many there are, and the first of them.
export const counted = (number, first) => `${number.toLocaleString()}: ${first.join(", ")}${number > first.length ? ", …" : ""}`;

export const find = (id) => document.getElementById(id);

export function button(text, action, attributes = {}) {
  return element("button", { type: "button", onclick: action, ...attributes }, text);
}

export function table(caption, heads, rows) {
  const head = element("tr", {}, heads.map((text) => element("th", { scope: "col" }, text)));
  const cell = (value) => element("td", { dir: "auto" }, value);
  return element(
    "table", {}, element("caption", { class: "quiet" }, caption), element("thead", {}, head),
    element("tbody", {}, rows.map((row) => element("tr", {}, row.map(cell)))),
  );
}

// A spreadsheet takes a cell that begins with one of these for a formula.
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

export function csv(rows) {
  const cell = (value) => {
    const text = String(value ?? "");
    const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
    return `"${safe.replaceAll('"', '""')}"`;
  };
  return rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

// A file for the user to keep. A spreadsheet takes CSV for UTF-8 by its first character.
export function download(name, content, type = "text/csv") {
  const parts = type === "text/csv" ? ["\ufeff", content] : [content];
  keep(name, URL.createObjectURL(new Blob(parts, { type: type.startsWith("text/") ? `${type};charset=utf-8` : type })));
}

function keep(name, address) {
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  URL.revokeObjectURL(address);
}

// Runs `action` once when an element is first seen: a thread may hold many pictures.
export function whenSeen(node, action) {
  const watching = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    watching.disconnect();
    action();
  }, { rootMargin: "200px" });
  watching.observe(node);
}
