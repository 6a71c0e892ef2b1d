// What was asked and what was saved of this graph: on the server, where it knows who asks, else in this browser. Items of
// the history are {about, answer?, at?}, saved ones {about, name}, those of a server with their keys; the newest first.
import { aboutOf, addressOf } from "./address.js";
import { get, send } from "./api.js";
import { askedHere, keepAskedHere, keepSavedHere, savedHere } from "./state.js";

const KEPT = 50;
const NAME = 500;

// What the server has, null for what it does not keep.
let there = { history: null, saved: null };
let problem = () => {};

export const same = (one, other) => addressOf(one) === addressOf(other);

const item = (record) => ({ ...record, about: aboutOf(record.address) });

// `tell` gets the error of a change that the server did not take.
export async function load(tell) {
  problem = tell;
  const { history, saved } = await get("kept");
  const items = (records) => records && records.map(item).filter((one) => one.about);
  there = { history: items(history), saved: items(saved) };
}

// A change that is seen at once. One is made after the other; where the server refuses one, what it has is seen again.
let last = Promise.resolve();
function change(done) {
  last = last.then(done).catch(async (error) => {
    await load(problem).catch(() => {});
    problem(error);
  });
  return last;
}

export const asked = () => there.history || askedHere();
export const saved = () => there.saved || savedHere();

// What a browser has of its own while the server keeps what is saved.
export const leftHere = () => (there.saved ? savedHere().filter((one) => !saved().some((other) => same(one.about, other.about))) : []);

export function addAsked(about, answer) {
  const others = asked().filter((one) => one.about.question !== about.question);
  if (!there.history) return keepAskedHere([{ about, answer: String(answer).slice(0, 200) }, ...others].slice(0, KEPT));
  const added = { about, at: new Date().toISOString() };
  there.history = [added, ...others];
  return change(async () => Object.assign(added, await send("POST", "history", { question: about.question, address: addressOf(about) })));
}

export function clearAsked() {
  if (!there.history) return keepAskedHere([]);
  there.history = [];
  return change(() => send("DELETE", "history"));
}

export function addSaved(about, name = about.question.slice(0, NAME)) {
  if (!there.saved) return keepSavedHere([{ about, name }, ...saved()]);
  const added = { about, name };
  there.saved = [added, ...there.saved];
  return change(async () => Object.assign(added, await send("POST", "saved", { name, question: about.question, address: addressOf(about) })));
}

export function removeSaved(about) {
  const [gone] = saved().filter((one) => same(one.about, about));
  const others = saved().filter((one) => !same(one.about, about));
  if (!there.saved) return keepSavedHere(others);
  there.saved = others;
  return change(() => send("DELETE", `saved/${gone.key}`));
}

export function renameSaved(about, name) {
  if (!there.saved) return keepSavedHere(saved().map((one) => (same(one.about, about) ? { ...one, name } : one)));
  const renamed = there.saved.find((one) => same(one.about, about));
  renamed.name = name;
  return change(() => send("PATCH", `saved/${renamed.key}`, { name }));
}
