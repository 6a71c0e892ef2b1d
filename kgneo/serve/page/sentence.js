// The question with its words marked, and the answer as a sentence that cites its triples.
import { button, called, element, readable } from "./dom.js";

const CITED = 2;
const FIRST = 5;
const FEW = 12;
const HIGH = 0.8;
const MEDIUM = 0.5;

// Pieces of a text: [piece, value of the first of `marks` that covers it]; the longest mark first.
function pieces(text, marks) {
  const taken = [];
  for (const [words, value] of [...marks].sort((one, other) => other[0].length - one[0].length)) {
    const start = words ? text.toLowerCase().indexOf(words.toLowerCase()) : -1;
    if (start < 0 || taken.some((item) => start < item.end && item.start < start + words.length)) continue;
    taken.push({ start, end: start + words.length, value });
  }
  const found = [];
  let from = 0;
  for (const item of taken.sort((one, other) => one.start - other.start)) {
    if (item.start > from) found.push([text.slice(from, item.start), null]);
    found.push([text.slice(item.start, item.end), item.value]);
    from = item.end;
  }
  if (from < text.length) found.push([text.slice(from), null]);
  return found;
}

// The question: names that were found, conditions, words for relationships and properties, and those that the answer
// does not use.
export function question(text, answer) {
  // A claim's entities are plain names.
  const names = (answer?.entities || []).map((entity) => [entity.matched || entity.name || entity, "name"]);
  const unused = (answer?.unused || []).map((word) => [word, "unused"]);
  const words = (answer?.words || []).map((word) => [word.text, word.kind]);
  const told = { name: "a name in the graph", relation: "a relationship or property of the graph", condition: "a condition", unused: "not used" };
  return pieces(text, [...unused, ...names, ...words]).map(([piece, kind]) =>
    (kind ? element("span", { class: `word ${kind}`, title: told[kind] }, piece) : piece));
}

// Whether an answer is read as a table: columns, groups ("owner: value"), or many names.
export const isTabular = (answer) => Boolean(answer.table) || answer.answers.length > FEW || /: -?\d/.test(answer.answers[0] || "");

// Of a long list the first few: the table has all of them.
function shortened(answer) {
  const text = answer.answer || "not found";
  if (!isTabular(answer) || answer.answers.length <= FIRST || !answer.answers.slice(0, FIRST).every((name) => text.includes(name))) return text;
  return `${answer.answers.slice(0, FIRST).join(", ")} and ${(answer.answers.length - FIRST + answer.more).toLocaleString()} more`;
}

// The answer, each thing in it with the numbers of the triples that name it; `cite` shows one of those.
export function answered(answer, cite) {
  const text = readable(shortened(answer));
  const rows = (name) => answer.evidence.flatMap((item, at) => (item.subject === name || item.object === name ? [at] : [])).slice(0, CITED);
  const marks = answer.answers.slice(0, 30).map((name) => [readable(name), rows(name)]);
  return pieces(text, marks).flatMap(([piece, cited]) => [piece, ...(cited || []).map((at) =>
    element("sup", {}, button(`[${at + 1}]`, () => cite(at), { class: "cite", "aria-label": `Triple ${at + 1}: ${told(answer.evidence[at])}`, title: told(answer.evidence[at]) })))]);
}

export const told = (item) => `${item.subject} — ${called(item.relation)}${item.detail ? ` ${item.detail}` : ""} → ${item.object}`;

// How sure an answer is, in a word, and why.
export function confidence(answer) {
  if (typeof answer.confidence !== "number") return null;
  const level = answer.confidence >= HIGH ? "high" : answer.confidence >= MEDIUM ? "medium" : "low";
  const left = (answer.unused || []).map((word) => `“${word}”`).join(", ");
  const reason = left ? `${left} was not used` : level === "high" ? "all words of the question are used" : "the question can be read otherwise, too";
  return { level, reason };
}

export function meaning(answer) {
  return answer.steps.at(-1)?.question.replace(/\b[XYZ]\b/g, (letter) => answer.entities["XYZ".indexOf(letter)]?.name || letter) || "";
}
