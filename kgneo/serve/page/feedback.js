// What the user says of an answer: it is kept on the server until somebody has reviewed it there.
import { post } from "./api.js";
import { button, element } from "./dom.js";

// `graph` is the query graph that gave what is shown for `question`; `own`: the user has chosen or changed it.
export function feedback(question, graph, problem, own = false) {
  const told = element("span", { class: "quiet", role: "status", "aria-live": "polite" });
  const send = async (said) => {
    try {
      const kept = await post("feedback", { question, ...said });
      told.textContent = `Kept${kept.read_as ? `: ${kept.read_as}` : ""}. It waits to be reviewed.`;
      more.replaceChildren();
    } catch (error) {
      problem(error);
    }
  };
  const more = element("span", { class: "row" });
  const ask = () => {
    const words = element("input", { "aria-label": "What the question means, in other words", placeholder: "It means … (in other words)", dir: "auto" });
    const means = element("form", { class: "row", onsubmit: (event) => { event.preventDefault(); send(words.value.trim() ? { means: words.value.trim() } : { right: false, query_graph: graph || null }); } },
      words, element("button", { type: "submit" }, "Send"));
    more.replaceChildren(means);
    words.focus();
  };
  return element("div", { class: "row feedback" },
    ...(graph ? [button(own ? "👍 This is what I meant" : "👍 Right", () => send({ right: true, query_graph: graph }))] : []),
    ...(own ? [] : [button("👎 Wrong", ask)]),
    more, told);
}
