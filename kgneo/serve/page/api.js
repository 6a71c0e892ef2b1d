// The server's HTTP API. The token, where there is one, is kept until the tab is closed; a login of the database, where
// the graph asks for one, is in this variable and nowhere else, so that it is gone when the page is left.

const KEY = "kgneo-token";
let login = "";

export class Failure extends Error {
  constructor(status, error) {
    super(error?.message || `The server answered with status ${status}.`);
    this.status = status;
    this.kind = error?.type || "";
    this.hint = error?.hint || "";
    this.nearest = error?.nearest || [];
  }
}

export function takeToken(text) {
  sessionStorage.setItem(KEY, text);
}

export const signedIn = () => Boolean(login);

export function takeLogin(user, password) {
  login = btoa(String.fromCharCode(...new TextEncoder().encode(`${user}:${password}`)));
}

export function tokenFromAddress() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!given) return;
  takeToken(given);
  history.replaceState(null, "", location.pathname + location.search);
}

function headers() {
  const token = sessionStorage.getItem(KEY);
  const known = login ? `Basic ${login}` : token ? `Bearer ${token}` : "";
  return { "Content-Type": "application/json", ...(known ? { Authorization: known } : {}) };
}

// What the browser says where nobody answers is another word in each browser.
async function reach(route, sent) {
  try {
    return await fetch(route, sent);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure(0, { message: "The server cannot be reached.", hint: "Is `kgneo serve` running?" });
  }
}

async function checked(response) {
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  throw new Failure(response.status, body.error);
}

export async function get(route, parameters = {}, signal = undefined) {
  const query = new URLSearchParams(parameters);
  const response = await reach(`api/v1/${route}?${query}`, { headers: headers(), signal });
  return (await checked(response)).json();
}

export const post = (route, body, signal = undefined) => send("POST", route, body, signal);

export async function send(method, route, body = undefined, signal = undefined) {
  const sent = { method, headers: headers(), body: body && JSON.stringify(body), signal };
  return (await checked(await reach(`api/v1/${route}`, sent))).json();
}

// Sends a file as it is.
export async function upload(route, parameters, file) {
  const sent = { method: "POST", headers: { ...headers(), "Content-Type": "application/octet-stream" }, body: file };
  return (await checked(await reach(`api/v1/${route}?${new URLSearchParams(parameters)}`, sent))).json();
}

// Asks, tells of each event, and gives the answer.
export const ask = (body, tell, signal) => stream("ask", { ...body, stream: true }, "answer", tell, signal);

// Tells of each event, and gives the data of the one that is called `last`.
export async function stream(route, body, last, tell, signal = undefined) {
  const sent = { method: "POST", headers: headers(), body: JSON.stringify(body), signal };
  const response = await checked(await reach(`api/v1/${route}`, sent));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Failure(0, { message: "The server ended before it was done." });
    waiting += value;
    const blocks = waiting.split("\n\n");
    waiting = blocks.pop();
    for (const block of blocks) {
      const match = /^event: (\w+)\ndata: (.*)$/s.exec(block);
      if (!match) continue;
      const data = JSON.parse(match[2]);
      if (match[1] === last) return data;
      if (match[1] === "error") throw new Failure(200, data.error);
      await tell(match[1], data);
    }
  }
}
