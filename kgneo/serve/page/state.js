// What all parts of the page know: the graph's schema, how questions can be answered here, what is kept in the browser.
export const state = { schema: null, known: null };

// A graph is told by its own id: two servers that take turns at one port do not share a history.
const key = (name) => `kgneo-${name}-${state.schema?.identity || ""}`;

const read = (storage, name) => {
  try {
    return JSON.parse(storage.getItem(key(name)) || "[]");
  } catch {
    return [];
  }
};

// Keeps a list; where the browser has no room, without its oldest (the last) items.
function write(storage, name, items) {
  for (let kept = items; kept.length; kept = kept.slice(0, -1)) {
    try {
      storage.setItem(key(name), JSON.stringify(kept));
      return;
    } catch { /* no room for so many */ }
  }
  storage.removeItem(key(name));
}

// Until the tab is closed: the cards, newest first. For good: what was asked, and what was saved, where no server keeps
// it (kept.js).
export const cardsKept = () => read(sessionStorage, "thread");
export const keepCards = (cards) => write(sessionStorage, "thread", cards);
export const askedHere = () => read(localStorage, "history");
export const keepAskedHere = (items) => write(localStorage, "history", items);
export const savedHere = () => read(localStorage, "saved");
export const keepSavedHere = (items) => write(localStorage, "saved", items);
