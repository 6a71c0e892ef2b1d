// Loading files: chosen or dropped, previewed, and then made into a new graph of its own, which this server answers
// about, too. Nothing is written before "Load" is chosen, and never into a graph that is there.
import { Failure, get, send, stream, upload } from "./api.js";
import { button, element } from "./dom.js";
import { kindOf, previewed } from "./preview.js";

const STAGES = {
  checking: "Reading the files", starting: "Starting a Neo4j for the new graph", loading: "Writing the graph",
  encoding: "Making embeddings", indexing: "Building the index", mirroring: "Keeping a mirror of the graph",
};
const ROLES = ["subject", "relation", "object"];
const megabytes = (bytes) => `${(bytes / 1e6).toLocaleString()} MB`;

// The part of the page that loads; `about` is what the server says of loading, `problem` gets what is no error of a file.
export const loadPart = (about, problem) => new Load(about, problem).node;

class Load {
  constructor(about, problem) {
    Object.assign(this, { about, problem, draft: null, name: "", turn: 0 });
    this.status = element("p", { role: "status", class: "quiet" });
    this.body = element("div");
    this.input = element("input", { type: "file", id: "load-files", multiple: true, onchange: () => this.choose([...this.input.files]) });
    const zone = element("label", { class: "drop", for: "load-files" }, element("span", {}, "Choose files, or drop them here"), this.input);
    zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
    zone.addEventListener("dragleave", () => zone.classList.remove("over"));
    zone.addEventListener("drop", (event) => { event.preventDefault(); zone.classList.remove("over"); this.choose([...event.dataTransfer.files]); });
    this.zone = zone;
    this.graphs = element("div");
    this.list(about.graphs);
    this.node = element("section", { id: "load", class: "load", "aria-label": "Load a file" },
      element("p", { class: "quiet" }, `Triples as CSV or TSV, RDF, or a property graph (CSV with neo4j-admin's headers, JSON lines; several files or a zip archive of them). Up to ${megabytes(about.bytes)} together. They become a new graph in a local store of its own; what is there stays as it is.`),
      zone, this.status, this.body, this.graphs);
  }

  // The graphs that were loaded, with links.
  list(graphs) {
    const link = (path, text) => element("li", {}, element("a", { href: encodeURI(path), dir: "auto", ...(encodeURI(path) === location.pathname ? { "aria-current": "page" } : {}) }, text));
    this.graphs.replaceChildren(...(graphs.length ? [element("h3", {}, "Loaded by this server"),
      element("ul", {}, graphs.map((graph) => link(graph.path, graph.name)), link("/", "The page that this server began with"))] : []));
  }

  // Runs what talks to the server; an error is told here, and with it what to do.
  async told(work) {
    this.body.querySelector(".error")?.remove();
    try {
      return await work();
    } catch (error) {
      this.status.textContent = "";
      if (error.status === 401) return this.problem(error);
      if (this.options) this.options.node.open = true; // where it is said how the files are read
      this.body.prepend(element("div", { class: "error", role: "alert" }, element("p", { dir: "auto" }, error.message), error.hint ? element("p", { dir: "auto" }, error.hint) : ""));
      return null;
    }
  }

  choose(files) {
    if (!files.length) return null;
    this.leave();
    return this.told(async () => {
      const size = files.reduce((sum, file) => sum + file.size, 0);
      if (size > this.about.bytes) throw new Failure(413, { message: `The files have ${megabytes(size)}, expected ${megabytes(this.about.bytes)} at most.`, hint: "Load them in the shell, with `kgneo load`; or start the server with a higher --loading-megabytes." });
      this.draft = `loading/${(await send("POST", "loading")).key}`;
      for (const file of files) {
        this.status.textContent = `Sending ${file.name} …`;
        await upload(`${this.draft}/files`, { name: file.name }, file);
      }
      this.name = suggested(files[0].name);
      this.ask();
      await this.look();
      this.body.querySelector("h3")?.focus();
    });
  }

  // The files that were sent are of no use any more.
  leave() {
    if (this.draft) send("DELETE", this.draft).catch(() => {});
    this.turn += 1;
    this.draft = null;
    this.input.value = "";
    this.status.textContent = "";
    this.body.replaceChildren();
  }

  // The form around a preview: how the files are read, what the new graph is called.
  ask() {
    this.found = element("div");
    this.options = new Options(this.about.formats, () => this.told(() => this.look()));
    this.skip = element("input", { type: "checkbox", onchange: () => this.may() });
    this.skipping = element("label", { class: "row", hidden: true }, this.skip, "Leave these lines out (--skip-bad-lines)");
    const name = element("input", { id: "load-name", maxlength: "100", required: true, value: this.name, autocomplete: "off", spellcheck: "false", dir: "auto", oninput: () => { this.name = name.value; } });
    this.submit = element("button", { class: "primary" }, "Load");
    const form = element("form", { class: "row", onsubmit: (event) => { event.preventDefault(); this.load(); } },
      element("label", { for: "load-name" }, "Name of the new graph"), name, this.submit, button("Cancel", () => { this.leave(); this.input.focus(); }));
    this.body.replaceChildren(element("article", { class: "card" }, element("h3", { tabindex: "-1" }, "What will be made of it"), this.found, this.skipping, this.options.node, form));
  }

  async look() {
    this.status.textContent = "Reading …";
    this.submit.disabled = true;
    const turn = (this.turn += 1);
    const found = await send("POST", `${this.draft}/preview`, this.options.values()).catch((error) => { if (turn === this.turn) throw error; });
    if (turn !== this.turn) return; // what was chosen since is looked at
    this.status.textContent = "";
    this.found.replaceChildren(...previewed(found));
    this.options.fit(found);
    this.rows = found.rows;
    this.skipping.hidden = !(found.rows && found.left_out.total);
    this.may();
  }

  // Lines that cannot be used are left out only where that was chosen.
  may() {
    this.submit.disabled = !this.rows || !(this.skipping.hidden || this.skip.checked);
  }

  load() {
    return this.told(async () => {
      const body = { ...this.options.values(), name: this.name.trim(), skip_bad_lines: this.skip.checked };
      const form = [...this.body.children];
      const bar = new Bar(() => send("DELETE", this.draft).catch(() => {}));
      this.zone.hidden = true;
      this.body.replaceChildren(bar.node);
      bar.stop.focus();
      let path = "";
      try {
        await stream(`${this.draft}/store`, body, "indexed", async (event, data) => {
          if (event === "progress") this.status.textContent = bar.show(data);
          else path = await this.loaded(data.name, bar);
        });
        this.status.textContent = "";
        bar.node.remove();
      } catch (error) {
        if (path) bar.node.remove();
        else this.body.replaceChildren(...form);
        throw error;
      } finally {
        this.zone.hidden = false;
      }
    });
  }

  // From now on the graph can be asked, and stays.
  async loaded(name, bar) {
    this.draft = null;
    this.input.value = "";
    bar.stop.hidden = true;
    const { graphs } = await get("loading");
    const { path } = graphs.find((graph) => graph.name === name);
    const link = element("a", { class: "button primary", href: encodeURI(path), dir: "auto" }, `Open ${name}`);
    const quoted = /\s/.test(name) ? `"${name}"` : name;
    this.body.prepend(element("article", { class: "card" }, element("p", { class: "message", role: "status", dir: "auto" }, `${name} is loaded, and can be asked.`), element("p", {}, link),
      element("p", { class: "quiet" }, "When this server has ended: ", element("code", {}, `kgneo serve --store ${quoted}`), ". Its Neo4j runs until ", element("code", {}, `kgneo server stop --store ${quoted}`), ".")));
    this.list(graphs);
    link.focus();
    return path;
  }
}

// How far a load is, and a button that ends it.
class Bar {
  constructor(end) {
    this.bar = element("progress", { "aria-label": "Loading" });
    this.number = element("span", { class: "quiet" });
    this.stop = button("Cancel", () => { this.stop.disabled = true; end(); });
    this.node = element("div", { class: "row loading" }, this.bar, this.number, this.stop);
  }

  // Gives the words for the stage, which are read out once.
  show({ stage, done, total }) {
    if (total) Object.assign(this.bar, { max: total, value: done });
    else this.bar.removeAttribute("value");
    const unit = stage === "indexing" || stage === "checking" ? "" : ` of ${(total || 0).toLocaleString()}`;
    this.number.textContent = total && unit ? done.toLocaleString() + unit : "";
    return `${STAGES[stage] || stage} …`;
  }
}

// How files are read, by the options of `kgneo load`.
class Options {
  constructor(formats, change) {
    const choice = (text, entries) => {
      const select = element("select", { onchange: change }, entries.map(([value, shown]) => element("option", { value }, shown)));
      return [select, element("label", {}, `${text} `, select)];
    };
    const typed = (text, size) => {
      const input = element("input", { size, maxlength: "20", autocomplete: "off", onchange: change });
      return [input, element("label", {}, `${text} `, input)];
    };
    const labels = [];
    const add = ([field, label]) => { labels.push(label); return field; };
    this.format = add(choice("Format", [["", "found from the files"], ...formats.map((item) => [item.name, kindOf(item.name)])]));
    this.columns = ROLES.map((role) => add(choice(`Column of the ${role}`, [["", "found"]])));
    this.header = add(choice("First row names the columns", [["auto", "found"], ["yes", "yes"], ["no", "no"]]));
    this.separator = add(typed("Separator (a character, or tab)", "4"));
    this.quotes = element("input", { type: "checkbox", onchange: change });
    labels.push(element("label", { class: "row" }, this.quotes, "Quotes are plain characters"));
    this.names = add(choice("Names of RDF", [["local", "local names"], ["iri", "whole IRIs"]]));
    this.language = add(typed("Language of RDF's literals", "6"));
    const [format, subject, relation, object, header, separator, quotes, names, language] = labels;
    this.ofTables = element("div", { class: "box" }, subject, relation, object, header, separator, quotes);
    this.ofRdf = element("div", { class: "box" }, names, language);
    this.node = element("details", {}, element("summary", {}, "How it is read"), element("fieldset", {}, element("legend", { class: "unseen-label" }, "How it is read"), element("div", { class: "box" }, format), this.ofTables, this.ofRdf));
  }

  // Shows what concerns the files as they are read now, and the columns that they have.
  fit(found) {
    const fields = (found.files.find((file) => file.fields.length) || { fields: [] }).fields;
    const loaders = found.files.map((file) => file.loader);
    this.ofTables.hidden = !loaders.includes("delimited");
    this.ofRdf.hidden = !loaders.includes("rdf");
    for (const select of this.columns) {
      const before = select.value;
      select.replaceChildren(element("option", { value: "" }, "found"), ...fields.map((field, at) => element("option", { value: at + 1, dir: "auto" }, `${at + 1}: ${field}`)));
      select.value = before <= fields.length ? before : "";
    }
    this.fields = fields;
    if (!found.rows) this.node.open = true;
  }

  values() {
    const chosen = this.columns.map((select) => select.value);
    const named = this.header.value !== "no" && chosen.every((at) => at && !/^\d+$/.test(this.fields[at - 1]));
    const columns = chosen.every(Boolean) ? chosen.map((at) => (named ? this.fields[at - 1] : at)) : null;
    return {
      format: this.format.value || null, columns, header: this.header.value, separator: this.separator.value || null,
      no_quotes: this.quotes.checked, names: this.names.value, language: this.language.value || null,
    };
  }
}

// What a store may be called, from the name of a file.
const suggested = (file) => file.replace(/(\.(gz|zip|csv|tsv|txt|nt|nq|ttl|trig|rdf|owl|json|jsonl|jsonld))+$/i, "").replace(/[^\p{L}\p{N} ._-]/gu, "-").replace(/^[^\p{L}\p{N}]+|[ .]+$/gu, "").slice(0, 100);
