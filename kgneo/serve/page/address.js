// What a card is about, and its address: a question, a claim, or a query graph with its words.
//   {kind: "ask", question, strategy?, model?}   #q=…&s=…&m=…
//   {kind: "run", question, graph}               #q=…&g=…
//   {kind: "verify", question}                   #v=…

export function addressOf(about) {
  const parts = new URLSearchParams(about.kind === "verify" ? { v: about.question } : { q: about.question });
  if (about.graph) parts.set("g", JSON.stringify(about.graph));
  if (about.strategy) parts.set("s", about.strategy);
  if (about.model) parts.set("m", about.model);
  return `#${parts}`;
}

export function aboutOf(address) {
  const parts = new URLSearchParams(address.replace(/^#/, ""));
  if (parts.get("v")) return { kind: "verify", question: parts.get("v") };
  if (!parts.get("q")) return null;
  const about = { kind: "ask", question: parts.get("q") };
  if (parts.get("s")) about.strategy = parts.get("s");
  if (parts.get("m")) about.model = parts.get("m");
  if (!parts.get("g")) return about;
  try {
    return { kind: "run", question: about.question, graph: JSON.parse(parts.get("g")) };
  } catch {
    return about;
  }
}
