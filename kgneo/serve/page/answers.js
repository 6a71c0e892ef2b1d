// The answers as a table: sorted by a column, filtered, page by page; as CSV and JSON.
import { button, csv, download, element, readable } from "./dom.js";
import { kindOf } from "./rows.js";

const PAGE = 25;

export function answersTable({ columns, rows }, more) {
  const kinds = columns.map((name, at) => kindOf(rows, at, name));
  const view = { sorted: -1, down: false, text: "", page: 0 };
  const body = element("tbody");
  const caption = element("caption", { class: "quiet", "aria-live": "polite" });
  const head = element("tr");
  const pages = element("div", { class: "row" });
  const filter = element("input", { type: "search", placeholder: "Filter", "aria-label": "Filter the answers", dir: "auto",
    oninput: () => { view.text = filter.value.toLowerCase(); view.page = 0; show(); } });

  function shown() {
    const found = view.text ? rows.filter((row) => row.some((cell) => String(cell ?? "").toLowerCase().includes(view.text))) : [...rows];
    return view.sorted < 0 ? found : found.sort((one, other) => compare(one[view.sorted], other[view.sorted]) * (view.down ? -1 : 1));
  }

  function sort(at) {
    view.down = view.sorted === at ? !view.down : kinds[at] !== "text";
    view.sorted = at;
    view.page = 0;
    show();
    head.children[at].firstChild.focus();
  }

  function heads() {
    return columns.map((name, at) => {
      const way = view.sorted === at ? (view.down ? "descending" : "ascending") : "none";
      const arrow = { ascending: " ▲", descending: " ▼", none: "" }[way];
      return element("th", { scope: "col", "aria-sort": way, class: kinds[at] }, button(name + arrow, () => sort(at)));
    });
  }

  function show() {
    const found = shown();
    const last = Math.max(0, Math.ceil(found.length / PAGE) - 1);
    const here = found.slice(view.page * PAGE, (view.page + 1) * PAGE);
    head.replaceChildren(...heads());
    body.replaceChildren(...here.map((row) => element("tr", {}, row.map((cell, at) => element("td", { dir: "auto", class: kinds[at] }, written(cell))))));
    const all = rows.length + more;
    caption.textContent = found.length === rows.length ? `${rows.length.toLocaleString()}${more ? ` of ${all.toLocaleString()}` : ""}` : `${found.length.toLocaleString()} of ${rows.length.toLocaleString()}`;
    const step = (text, to) => button(text, () => { view.page = to; show(); }, { disabled: to < 0 || to > last });
    pages.replaceChildren(...(last ? [step("Back", view.page - 1), `${view.page + 1} of ${last + 1}`, step("Next", view.page + 1)] : []));
  }

  show();
  const records = () => rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])));
  return element("div", {},
    ...(rows.length > 5 ? [element("div", { class: "row" }, filter)] : []),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Answers" },
      element("table", {}, caption, element("thead", {}, head), body)),
    pages,
    element("div", { class: "row" },
      button("CSV", () => download("answers.csv", csv([columns, ...rows])), { "aria-label": "Answers as CSV" }),
      button("JSON", () => download("answers.json", JSON.stringify(records(), null, 1), "application/json"), { "aria-label": "Answers as JSON" })));
}

const written = (cell) => (cell === null || cell === undefined ? "–" : readable(cell));

// Nothing comes last; numbers by size, texts as people sort them.
function compare(one, other) {
  if (one === null || other === null) return (one === null) - (other === null);
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one).localeCompare(String(other), undefined, { numeric: true });
}
