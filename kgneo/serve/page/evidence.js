// The triples that an answer rests on, as a picture and as numbered rows that mark each other.
import { get } from "./api.js";
import { button, called, csv, download, element, table } from "./dom.js";
import { Picture, kindsOf } from "./draw.js";
import { state } from "./state.js";

const LISTED = 300;
const pictures = new Set();

export const restyle = () => pictures.forEach((picture) => picture.restyle());

// The words of a passage that say what was asked, marked. Places count characters, of which some are two in JavaScript.
function withMarks(text, marked) {
  const characters = [...text];
  const piece = (start, end) => characters.slice(start, end).join("");
  const ends = [0, ...marked.map(([, end]) => end)];
  return [...marked.flatMap(([start, end], at) => [piece(ends[at], start), element("mark", {}, piece(start, end))]), piece(ends.at(-1))];
}

// {node, drawn, cite}: the elements, what is to be called once they are seen, and how a triple is shown by its number.
export function evidence(answer, problem) {
  const triples = answer.evidence.map((item) => ({ detail: "", ...item }));
  const place = element("div", { class: "picture", role: "img", "aria-label": `Picture of ${triples.length} triples; the table beside it holds the same` });
  const details = element("div", { "aria-live": "polite" });
  const ids = new Map([...answer.entities.map((entity) => [entity.name, entity.id]), ...answer.answer_nodes.map((node) => [node.names[0], node.id])]);
  const legend = element("div", { class: "row legend" });
  let picture = null;

  const choose = async ({ name, node }) => {
    try {
      const around = await get("neighbours", { ...(node || ids.get(name) ? { id: node || ids.get(name) } : { name }), limit: 50 });
      details.replaceChildren(about(around, name));
    } catch (error) {
      if (error.status === 404) details.replaceChildren(element("p", { class: "quiet" }, `“${name}” is a value, not a node.`));
      else problem(error);
    }
  };

  function about(around, name) {
    const rows = Object.entries(around.properties).map(([key, values]) => [called(key), values.join(", ")]);
    const pinned = button("Pin", () => { pinned.setAttribute("aria-pressed", String(picture.pin(name))); }, { "aria-pressed": "false" });
    return element("div", { class: "details" },
      element("h3", { dir: "auto" }, [around.node.name, ...around.node.labels.map(called)].join(" : ")),
      element("div", { class: "row" },
        button("Expand", () => picture?.expand(name, around), { "aria-label": `Draw what is around ${name}` }),
        button("Hide", () => picture?.hide(name), { "aria-label": `Hide ${name}` }), pinned),
      table(`${around.degree} relationships`, ["property", "value"], rows));
  }

  const name = (text, marked = []) => button(withMarks(text, marked), () => choose({ name: text }), { "aria-label": `${text}: show what is around it` });
  const rows = triples.slice(0, LISTED).map((item, at) => {
    const names = new Set([item.subject, item.object]);
    const relation = item.detail ? `${called(item.relation)} ${item.detail}` : called(item.relation);
    return element("tr", { "data-triple": at, onmouseenter: () => picture?.mark(names), onmouseleave: () => picture?.mark(new Set()), onfocusin: () => picture?.mark(names) },
      element("td", { class: "number" }, `[${at + 1}]`), ...[name(item.subject), relation, name(item.object, item.marked)].map((cell) => element("td", { dir: "auto" }, cell)));
  });
  const hover = (part) => {
    const named = part?.isNode() ? part.data("name") : null;
    rows.forEach((row, at) => row.classList.toggle("marked", named !== null && [triples[at].subject, triples[at].object].includes(named)));
  };
  const left = answer.evidence_left_out ? ` (${answer.evidence_left_out.toLocaleString()} more matches)` : "";
  const heads = ["no.", "subject", "relation", "object"].map((text) => element("th", { scope: "col" }, text));
  const list = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Evidence" },
    element("table", {}, element("caption", { class: "quiet" }, `${triples.length.toLocaleString()} triples${left}`), element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows)));
  const columns = element("div", { class: "columns" }, element("div", {}, legend, place, tools(() => picture, place)), element("div", {}, list, details,
    element("div", { class: "row" }, button("CSV", () => download("evidence.csv", csv([["subject", "relation", "detail", "object"], ...triples.map((item) => [item.subject, item.relation, item.detail, item.object])])), { "aria-label": "Evidence as CSV" }))));

  return {
    node: columns,
    drawn() {
      if (picture) return;
      const started = performance.now();
      const known = new Map([...answer.entities.map((entity) => [entity.name, entity.labels]), ...answer.answer_nodes.map((node) => [node.names[0], node.labels])]);
      picture = new Picture(place, triples, { onnode: choose, onhover: hover, roles: roles(answer), kinds: state.schema ? kindsOf(state.schema, triples, known) : () => "", ids });
      place.dataset.milliseconds = Math.round(performance.now() - started);
      place.picture = picture;
      pictures.add(picture);
      legend.replaceChildren(...key(picture, triples, roles(answer)));
    },
    destroy() {
      pictures.delete(picture);
      picture?.destroy();
    },
    cite(at) {
      const row = rows[at];
      if (!row) return;
      rows.forEach((other) => other.classList.toggle("cited", other === row));
      row.querySelector("button").focus({ preventScroll: true });
      row.scrollIntoView({ block: "nearest" });
    },
  };
}

function roles(answer) {
  const answers = new Set([...answer.answers, ...[...answer.answer_nodes, ...(answer.counted ?? [])].flatMap((node) => node.names)]);
  const values = Object.values(answer.cypher_parameters || {}).flat().filter((value) => typeof value === "string");
  const topics = new Set([...answer.entities.map((entity) => entity.name), ...values]);
  return (name) => (topics.has(name) ? "topic" : answers.has(name) ? "answer" : "");
}

// What colours and rings mean; a label that is pressed is left out of the picture.
function key(picture, triples, role) {
  const away = new Set();
  const names = [...new Set(triples.flatMap((item) => [item.subject, item.object]))];
  const rings = [["topic", "asked about"], ["answer", "answer"]].filter(([kind]) => names.some((name) => role(name) === kind));
  const kinds = [...picture.colours].map(([kind, number]) => {
    const made = button(called(kind), () => {
      if (!away.delete(kind)) away.add(kind);
      made.setAttribute("aria-pressed", String(!away.has(kind)));
      picture.without(away);
    }, { class: "kind", "aria-pressed": "true", title: `Show or hide ${called(kind)}` });
    made.prepend(element("span", { class: `dot kind-${number}` }));
    return made;
  });
  return [...rings.map(([kind, text]) => element("span", { class: "quiet" }, element("span", { class: `dot ring of-${kind}` }), text)), ...kinds];
}

function tools(drawn, place) {
  const search = element("input", { type: "search", placeholder: "Find", "aria-label": "Find in the picture", size: 10, oninput: () => drawn()?.search(search.value) });
  const tool = (text, label, action) => button(text, action, { "aria-label": label, title: label });
  return element("div", { class: "row tools" },
    tool("+", "Zoom in", () => drawn()?.zoom(1.3)), tool("−", "Zoom out", () => drawn()?.zoom(1 / 1.3)), tool("Fit", "Fit the picture", () => drawn()?.fit()),
    tool("Full screen", "Full screen", () => place.requestFullscreen?.().then(() => setTimeout(() => drawn()?.fit(), 100))),
    tool("PNG", "Picture as PNG", () => download("picture.png", drawn().png(), "image/png")),
    tool("SVG", "Picture as SVG", () => download("picture.svg", drawn().svg(), "image/svg+xml")), search);
}
