// Other ways to read a question: each with what it finds, to be taken or changed.
import { post } from "./api.js";
import { button, counted, element } from "./dom.js";
import { editor } from "./editor.js";

const RUN = 8;

// A part of a card that is filled when it is opened. `taken` is the query graph that is shown; `run` gets another one.
export function readings(question, taken, run, problem) {
  const place = element("div", {}, element("p", { class: "quiet" }, "Reading …"));
  const made = element("details", { class: "readings" }, element("summary", {}, "Not what you meant?"), place);
  made.addEventListener("toggle", async () => {
    if (!made.open || made.dataset.filled) return;
    made.dataset.filled = "yes";
    try {
      fill(place, (await post("interpret", { question })).readings, taken, run);
    } catch (error) {
      place.replaceChildren();
      problem(error);
    }
  });
  return made;
}

function fill(place, found, taken, run) {
  const below = element("div");
  const open = (reading) => {
    below.replaceChildren(editor(reading.graph, reading.nodes || {}, run));
    below.querySelector("select, input, button")?.focus();
  };
  const items = found.map((reading) => {
    const preview = element("span", { class: "quiet", dir: "auto" });
    const shown = same(reading.graph, taken);
    const item = element("li", shown ? { "aria-current": "true" } : {},
      element("span", { dir: "auto" }, reading.wording), shown ? element("strong", {}, " (shown)") : "", " ", preview,
      reading.ignored.length ? element("span", { class: "quiet" }, ` leaves out ${reading.ignored.map((text) => `“${text}”`).join(", ")} `) : "", " ",
      button("Take it", () => run(reading.graph), { "aria-label": `Take it: ${reading.wording}` }), " ",
      button("Change", () => open(reading), { "aria-label": `Change: ${reading.wording}` }));
    return { item, reading, preview };
  });
  place.replaceChildren(items.length ? element("ol", {}, items.map(({ item }) => item)) : element("p", { class: "quiet" }, "No reading was found."), below);
  preview(items.slice(0, RUN));
}

// How many answers each has, one after the other: they are many queries.
async function preview(items) {
  for (const { reading, preview: place } of items) {
    try {
      const found = await post("run", { graph: reading.graph, limit: 3 });
      const number = found.answers.length + found.more;
      place.textContent = number ? counted(number, found.answers) : "finds nothing";
    } catch (error) {
      place.textContent = error.message;
    }
  }
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
