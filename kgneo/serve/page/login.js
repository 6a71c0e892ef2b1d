// The form for a login of the graph's own database, where it asks for one.
import { signedIn, takeLogin } from "./api.js";
import { find } from "./dom.js";
import { keepCards } from "./state.js";

const KINDS = ["SignIn", "WrongLogin", "LoginNotTaken"];

// `go` is done when somebody has typed a login. Whoever signs out leaves no card behind for the next one.
export function begin(go) {
  find("login-form").addEventListener("submit", (event) => {
    event.preventDefault();
    takeLogin(find("login-user").value, find("login-password").value);
    find("login-password").value = "";
    find("login-form").hidden = true;
    go();
  });
  find("sign-out").addEventListener("click", () => {
    keepCards([]);
    location.replace(location.pathname);
  });
}

// Whether an error is one of these, for which the form is shown.
export function ask(error) {
  if (!KINDS.includes(error.kind)) return false;
  find("login-told").textContent = error.kind === "SignIn" ? error.message : [error.message, error.hint].join(" ");
  find("login-form").hidden = false;
  find(find("login-user").value ? "login-password" : "login-user").focus();
  return true;
}

export function done() {
  find("sign-out").hidden = !signedIn();
}
