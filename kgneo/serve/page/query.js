// How an answer came about: its steps, its Cypher, its parameters.
import { button, element, table } from "./dom.js";

export function query(answer) {
  const parameters = Object.entries(answer.cypher_parameters || {});
  const link = /^https?:\/\//.test(answer.browser || "")
    ? element("a", { class: "button", href: answer.browser, target: "_blank", rel: "noopener noreferrer" }, "Open in Neo4j Browser") : "";
  const copied = element("span", { class: "quiet", role: "status" });
  const copy = button("Copy", () => navigator.clipboard.writeText(answer.query || answer.cypher).then(() => { copied.textContent = "Copied."; }), { "aria-label": "Copy the Cypher" });
  const steps = (answer.how || []).length ? answer.how : answer.steps.length > 1 ? answer.steps.map((step) => `${step.question} — ${step.answer}`) : [];
  return element("div", {},
    ...(steps.length ? [element("h3", {}, "Steps"), element("ol", {}, steps.map((text) => element("li", { dir: "auto" }, text)))] : []),
    ...(answer.llm ? [element("p", { class: "quiet" }, `${answer.llm.model}: ${answer.llm.calls} calls`)] : []),
    ...(answer.cypher ? [
      element("h3", {}, "Cypher"),
      element("pre", { tabindex: "0", dir: "ltr" }, element("code", {}, answer.cypher)),
      ...(parameters.length ? [table("Parameters", ["name", "value"], parameters.map(([name, value]) => [`$${name}`, JSON.stringify(value)]))] : []),
      element("div", { class: "row" }, copy, link, copied)] : [element("p", { class: "quiet" }, "No single query gave this answer.")]));
}
