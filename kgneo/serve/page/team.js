// The page of a server with several graphs: those that whoever looks may ask.
import { get, send, takeToken, tokenFromAddress } from "./api.js";
import { element, find } from "./dom.js";

async function begin() {
  find("error").hidden = true;
  try {
    const { graphs, known } = await get("graphs");
    const links = graphs.map((item) => element("li", {}, element("a", { href: `g/${encodeURIComponent(item.name)}/`, dir: "auto" }, item.title)));
    find("graphs").replaceChildren(...(links.length ? links : [element("li", {}, "None that you may ask.")]));
    find("kept").hidden = !known;
  } catch (error) {
    if (error.status === 401) {
      find("token-form").hidden = false;
      find("token").focus();
      return;
    }
    problem(error);
  }
}

function problem(error) {
  find("error").textContent = error.message;
  find("error").hidden = false;
}

find("forget").addEventListener("click", async () => {
  if (!confirm("Delete all that this server keeps of what you asked and saved?")) return;
  try {
    await send("DELETE", "kept");
    find("forgotten").textContent = "Nothing is kept any more.";
  } catch (error) {
    problem(error);
  }
});

find("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  takeToken(find("token").value);
  find("token").value = "";
  find("token-form").hidden = true;
  begin();
});

tokenFromAddress();
begin();
