// The answers as rows: what a table shows, a chart draws and a file holds.
import { post } from "./api.js";
import { called } from "./dom.js";

const ASKED = 1000;
const KEYS = 8;

// "owner: value", as groups are told.
function groups(answers) {
  const found = answers.map((text) => /^(.*): (-?\d+(?:\.\d+)?)$/s.exec(text));
  return answers.length > 1 && found.every(Boolean) ? found.map((match) => [match[1], Number(match[2])]) : [];
}

// {columns, rows} of an answer; nodes have their properties beside their names.
export async function rowsOf(answer) {
  if (answer.table) return { columns: answer.table.columns, rows: answer.table.rows.map((row) => [...row]) };
  const grouped = groups(answer.answers);
  if (grouped.length) return { columns: ["name", "value"], rows: grouped };
  const nodes = answer.answer_nodes.length ? answer.answer_nodes : answer.counted || [];
  if (!nodes.length) return { columns: ["answer"], rows: answer.answers.map((text) => [text]) };
  return withProperties(answer, nodes);
}

async function withProperties(answer, nodes) {
  const found = (await post("nodes", { ids: nodes.slice(0, ASKED).map((node) => node.id) })).nodes;
  const keys = [...new Set(nodes.flatMap((node) => Object.keys(found[node.id] || {})))]
    .filter((key) => nodes.some((node) => (found[node.id]?.[key] || []).join(", ") !== node.names[0])).slice(0, KEYS);
  const row = (node) => [node.names[0], ...keys.map((key) => value(found[node.id]?.[key]))];
  const named = new Set(nodes.map((node) => node.names[0]));
  const alone = answer.answer_nodes.length ? answer.answers.filter((text) => !named.has(text)).map((text) => [text, ...keys.map(() => null)]) : [];
  return { columns: ["name", ...keys.map(called)], rows: [...nodes.map(row), ...alone] };
}

function value(texts) {
  if (!texts?.length) return null;
  const text = texts.join(", ");
  return isNumber(text) ? Number(text) : text;
}

// A number as it is written: 007 and 12345678901234567890 are no numbers.
const isNumber = (text) => /^-?\d/.test(text) && String(Number(text)) === text;

const DATE = /^\d{4}-\d\d(-\d\d)?(T.*)?$/;
const YEAR = /year/i;

// What a column holds: numbers, dates, or texts.
export function kindOf(rows, at, name) {
  const values = rows.map((row) => row[at]).filter((item) => item !== null && item !== undefined && item !== "");
  if (!values.length) return "text";
  if (values.every((item) => DATE.test(String(item)))) return "date";
  const numbers = values.every((item) => typeof item === "number");
  if (numbers && YEAR.test(name) && values.every((item) => item > 999 && item < 3000)) return "year";
  return numbers ? "number" : "text";
}
