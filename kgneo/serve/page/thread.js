// The thread: cards in the order in which they were asked. The address is that of the card that one is at, so that Back,
// reload, bookmarks and links work; a tab that is loaded again has its thread again.
import { aboutOf } from "./address.js";
import { Card } from "./card.js";
import { find } from "./dom.js";
import { addAsked } from "./kept.js";
import { cardsKept, keepCards, state } from "./state.js";

const KEPT = 30;
const TURNS = 6;

const cards = [];
let refuse = () => {};
let follows = null;

const thread = {
  changed(card) {
    if (cards.includes(card)) {
      store();
      note(card);
      if (card === current()) history.replaceState({ card: card.number }, "", card.address);
    }
  },
  open: (about) => open(about),
  follow: (card) => following(card),
  refused: (error) => refuse(error),
  remove(card) {
    cards.splice(cards.indexOf(card), 1);
    card.remove();
    store();
    welcome();
    if (current()) arrive(current());
    else history.replaceState(null, "", location.pathname + location.search);
  },
};

let at = null;
const current = () => (cards.includes(at) ? at : cards.at(-1));

// `refused` gets the error of a request that had no token.
export function begin(refused) {
  refuse = refused;
  addEventListener("popstate", (event) => {
    const card = cards.find((item) => item.number === event.state?.card) || cards.find((item) => item.address === location.hash);
    if (card) arrive(card);
    else if (aboutOf(location.hash)) open(aboutOf(location.hash), false);
  });
  find("clear-thread").addEventListener("click", () => { for (const card of [...cards]) thread.remove(card); });
}

// The cards of this tab, and the one of the address.
export function restore() {
  for (const { about, answer, own } of cardsKept().reverse()) add(new Card(about, thread, { answer, own }));
  const wanted = aboutOf(location.hash);
  const there = wanted && cards.findLast((card) => card.address === location.hash || card.about.question === wanted.question);
  if (there) arrive(there);
  else if (wanted) open(wanted, false);
  welcome();
}

function add(card) {
  cards.push(card);
  find("thread").append(card.node);
}

export function open(about, push = true) {
  const told = state.known?.models.length ? follows?.turns || [] : before();
  following(null);
  const card = new Card(about, thread);
  add(card);
  history[push ? "pushState" : "replaceState"]({ card: card.number }, "", card.address);
  welcome();
  arrive(card);
  find("stop").hidden = false;
  return card.run(about.kind === "ask" ? told : []).finally(() => {
    find("stop").hidden = !cards.some((item) => item.running);
    if (current() === card) arrive(card);
  });
}

// Without a language model only what is plainly a follow-up ("how many?") is taken for one, so every question is told
// the one before it; with one, the user says what follows up on what.
const before = () => turnsUpTo(cards.at(-1));

function turnsUpTo(card) {
  return cards.slice(0, cards.indexOf(card) + 1).map((item) => item.turn).filter(Boolean).slice(-TURNS);
}

function following(card) {
  follows = card && { turns: turnsUpTo(card) };
  find("following").hidden = !card;
  find("following").textContent = card ? `Following up on “${card.about.question}”` : "";
  if (card) find("question").focus();
}

export function stop() {
  for (const card of cards) card.stop();
}

function arrive(card) {
  at = card;
  document.title = `${card.about.question} – kgneo`;
  card.node.focus({ preventScroll: true });
  card.node.scrollIntoView({ block: "start" });
}

function note(card) {
  const { answer } = card;
  addAsked(card.about, answer.verdict || (answer.outcome === "answer" || !answer.outcome ? answer.answer : answer.message.split("\n")[0]));
}

function store() {
  keepCards(cards.filter((card) => card.answer).slice(-KEPT).reverse().map(({ about, answer, own }) => ({ about, answer, own })));
}

function welcome() {
  find("welcome").hidden = cards.length > 0;
  if (!cards.length) document.title = "kgneo";
}
