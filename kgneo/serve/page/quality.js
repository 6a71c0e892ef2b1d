// The quality of the graph: what nodes of each label lack, and which names several of them share.
import { get } from "./api.js";
import { button, called, element } from "./dom.js";
import { asking, nodes, part } from "./spread.js";

const LISTED = 8;

// A part of a page that is filled when the server has looked. `open` asks a question, `seek` looks for nodes of a name.
export function quality(open, seek, problem) {
  const place = element("div", { id: "quality" }, element("p", { class: "quiet", role: "status" }, "Looking at the nodes of each label …"));
  const look = () => get("quality").then((found) => place.replaceChildren(...told(found, open, seek, look)), (error) => { place.replaceChildren(); problem(error); });
  look();
  return place;
}

function told(found, open, seek, look) {
  const seen = found.labels.filter((label) => label.looked_at);
  const amiss = seen.filter((label) => label.unnamed || label.shared_names || label.lacking.length || label.islands);
  const fine = seen.filter((label) => !amiss.includes(label));
  const unseen = found.labels.filter((label) => !label.looked_at);
  const named = (labels) => labels.map((label) => called(label.name)).join(", ");
  return [
    ...(amiss.length ? [element("ul", { class: "amiss" }, amiss.map((label) => element("li", { dir: "auto" }, ofLabel(label, open, seek))))] : []),
    ...(fine.length ? [element("p", { class: "quiet", dir: "auto" }, `Every node has a name of its own, all properties and a relationship: ${named(fine)}. ${fine.map(part).join(" ")}`)] : []),
    ...(unseen.length ? [element("p", { class: "warning", dir: "auto" }, `Not looked at, for want of time: ${named(unseen)}. `,
      button("Look again", (event) => { event.target.disabled = true; look(); }))] : []),
  ];
}

function ofLabel(label, open, seek) {
  const own = label.lacking.find((item) => label.named_by.length === 1 && item.key === label.named_by[0] && item.nodes === label.unnamed) || {};
  const how = label.named_by.length ? label.named_by.map(called).join(" and ") : "no property names them";
  const shared = label.shared.map((item) => button(`${item.name} (${item.number.toLocaleString()})`, () => seek(item.name), { "aria-label": `${item.name}: find the ${nodes(item.number)} of this name`, dir: "auto" }));
  const lines = [
    label.unnamed ? [asking(own, `${label.unnamed.toLocaleString()} without a name`, open), ` (${how})`] : null,
    label.shared_names ? [`${label.shared_names.toLocaleString()} ${label.shared_names === 1 ? "name is that" : "names are those"} of several, ${nodes(label.sharing_nodes)} together: `, ...shared, label.shared_names > shared.length ? "…" : ""] : null,
    label.lacking.length ? ["Missing: ", ...lacking(label.lacking, open)] : null,
    label.islands ? [`${label.islands.toLocaleString()} without a relationship`] : null,
  ];
  return [element("strong", {}, called(label.name)), element("span", { class: "quiet" }, ` ${nodes(label.nodes)}. ${part(label)}`),
    ...lines.filter(Boolean).map((line) => element("div", { class: "row" }, line))];
}

function lacking(items, open) {
  const shown = items.map((item) => asking(item, `${called(item.key)} ${percentage(item.share)}`, open));
  if (shown.length <= LISTED) return shown;
  return [...shown.slice(0, LISTED), element("details", {}, element("summary", {}, `${shown.length - LISTED} more`), element("div", { class: "row" }, shown.slice(LISTED)))];
}

// A share in per cent, of which none that is there says 0, and none but all says 100.
function percentage(share) {
  const whole = Math.round(100 * share);
  if (share && !whole) return "< 1 %";
  return share < 1 && whole === 100 ? "> 99 %" : `${whole} %`;
}
