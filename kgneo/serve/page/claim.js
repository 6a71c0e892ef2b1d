// What came of a claim: the verdict as a badge, and a row for each part of the claim.
import { element } from "./dom.js";

const WORDS = { supported: "Supported", refuted: "Refuted", "not enough evidence": "Not enough evidence" };
const badge = (verdict) => element("span", { class: `badge ${verdict.replaceAll(" ", "-")}` }, WORDS[verdict] || verdict);

export function claim(found) {
  const rows = found.parts.map((part) => element("tr", {},
    element("td", { dir: "auto" }, part.text),
    element("td", {}, badge(part.verdict)),
    element("td", { dir: "auto", class: part.unknown.length ? "error-text" : "" }, part.unknown.length ? `Not in the graph: ${part.unknown.join(", ")}` : "")));
  return [
    element("p", { class: "answer" }, badge(found.verdict)),
    element("p", { dir: "auto" }, found.explanation),
    ...(rows.length ? [element("table", {}, element("caption", { class: "quiet" }, "Parts of the claim"),
      element("thead", {}, element("tr", {}, ["part", "verdict", "unknown"].map((text) => element("th", { scope: "col" }, text)))), element("tbody", {}, rows))] : []),
  ];
}

// A claim's evidence is shown as an answer's is.
export const asAnswer = (found) => ({
  answer: "", answers: [], answer_nodes: [], counted: [], more: 0, steps: [], cypher: null, cypher_parameters: {}, unused: [], choices: [], how: [],
  entities: found.entities.map((name) => ({ name, labels: [] })), evidence: found.evidence, warnings: found.warnings, confidence: found.confidence, outcome: "answer",
});
