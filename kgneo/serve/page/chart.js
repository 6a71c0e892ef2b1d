// The answers as a chart, by Vega-Lite, which is fetched when a chart is first opened. Its expressions are interpreted:
// the page's policy lets nothing be compiled from text.
/* global vega, vegaLite */
import { button, download, element, look } from "./dom.js";
import { kindOf } from "./rows.js";

const SCRIPTS = ["vega.min.js", "vega-interpreter.min.js", "vega-lite.min.js"];
const BARS = 30;
const IDENTIFYING = /(^|[^a-z])(id|no|nr|code|key|number)$|[a-z](Id|No|Nr|Code|Key|Number)$/;
const TYPES = { bar: "Bars", line: "Line", point: "Scatter", map: "Map" };
const VEGA = { number: "quantitative", year: "temporal", date: "temporal", text: "nominal" };

let loading = null;

function load() {
  const script = (source) => new Promise((done, failed) => {
    document.head.append(element("script", { src: source, onload: done, onerror: () => failed(new Error("The chart's library did not come.")) }));
  });
  loading ||= SCRIPTS.reduce((before, source) => before.then(() => script(source)), Promise.resolve());
  loading.catch(() => { loading = null; });
  return loading;
}

// The columns by what they hold; a chart needs a number, or places.
function columnsOf({ columns, rows }) {
  const kinds = columns.map((name, at) => kindOf(rows, at, name));
  const of = (...wanted) => columns.map((_, at) => at).filter((at) => wanted.includes(kinds[at]));
  const named = (pattern) => columns.findIndex((name, at) => kinds[at] === "number" && pattern.test(name));
  // A number that tells one thing from another is no amount.
  const amounts = of("number").filter((at) => !IDENTIFYING.test(columns[at]));
  return { kinds, numbers: amounts.length ? amounts : of("number"), times: of("date", "year"), texts: of("text"),
    latitude: named(/^lat(itude)?$/i), longitude: named(/^(lon|lng|long)(gitude)?$/i) };
}

export function canDraw(data) {
  const known = columnsOf(data);
  return data.rows.length > 1 && known.numbers.length + (known.times.length > 0) > 0;
}

// What fits the columns: points where there are places, a line over time, two numbers against each other, else bars.
function first(data) {
  const known = columnsOf(data);
  const number = known.numbers[0] ?? known.times[0];
  if (known.latitude >= 0 && known.longitude >= 0) return { type: "map", x: known.longitude, y: known.latitude };
  if (known.times.length && known.numbers.length) return { type: "line", x: known.times[0], y: number };
  if (known.numbers.length > 1 && data.rows.length > BARS) return { type: "point", x: known.numbers[0], y: known.numbers[1] };
  return { type: "bar", x: known.texts[0] ?? 0, y: number };
}

function specification({ columns, rows }, chosen, width) {
  const { kinds } = columnsOf({ columns, rows });
  const [ink, quiet, line, accent] = ["--ink", "--quiet", "--line", "--accent"].map(look);
  const whole = (at) => kinds[at] === "number" && rows.every((row) => Number.isInteger(row[at] ?? 0)); // no half an incident
  const ticks = (at) => (whole(at) ? { axis: { tickMinStep: 1 } } : {});
  const field = (at) => ({ field: `c${at}`, title: columns[at], type: VEGA[kinds[at]], ...ticks(at) });
  const time = (at) => (kinds[at] === "year" ? { timeUnit: "utcyear", scale: { type: "utc" } } : {});
  const most = chosen.type === "bar" ? [...rows].sort((one, other) => other[chosen.y] - one[chosen.y]).slice(0, BARS) : rows;
  const cell = (value, at) => (kinds[at] === "year" && value !== null ? `${value}-01-01` : value);
  const values = most.map((row) => Object.fromEntries(row.map((value, at) => [`c${at}`, cell(value, at)])));
  const plain = { ...field(chosen.x), ...time(chosen.x) };
  const across = { x: plain, y: { ...field(chosen.y), ...time(chosen.y), scale: { zero: chosen.type === "bar" } } };
  const bars = { y: { ...plain, type: "nominal", sort: "-x", axis: { labelLimit: 260 } }, x: { ...field(chosen.y), stack: null } };
  const places = { longitude: { field: `c${chosen.x}`, type: "quantitative" }, latitude: { field: `c${chosen.y}`, type: "quantitative" } };
  const encoding = { bar: bars, line: across, point: across, map: places }[chosen.type];
  const mark = { bar: { type: "bar" }, line: { type: "line", point: true }, point: { type: "point", filled: true }, map: { type: "circle", size: 60 } }[chosen.type];
  return {
    data: { values }, mark: { ...mark, color: accent }, width, encoding, background: "transparent", autosize: { type: "fit-x", contains: "padding" },
    ...(chosen.type === "map" ? { height: width / 2, projection: { type: "equirectangular" } } : chosen.type === "bar" ? {} : { height: 320 }),
    config: { font: "system-ui, sans-serif", view: { stroke: line }, axis: { labelColor: ink, titleColor: quiet, gridColor: line, domainColor: line, tickColor: line, labelFontSize: 12, titleFontSize: 12 } },
  };
}

export async function chart(data, width) {
  await load();
  const chosen = first(data);
  const place = element("div", { class: "chart", role: "img", "aria-label": "Chart of the answers; the table holds the same" });
  let view = null;
  const draw = async () => {
    view?.finalize();
    const runtime = vega.parse(vegaLite.compile(specification(data, chosen, width)).spec, null, { ast: true });
    view = new vega.View(runtime, { expr: vega.expressionInterpreter, renderer: "canvas", container: place, hover: false });
    place.view = await view.runAsync();
  };
  const choice = (label, key, options) => element("label", {}, `${label} `, element("select",
    { onchange: (event) => { chosen[key] = key === "type" ? event.target.value : Number(event.target.value); draw(); } },
    options.map(([value, text]) => element("option", { value, selected: value === chosen[key] }, text))));
  const columns = data.columns.map((name, at) => [at, name]);
  const known = columnsOf(data);
  const types = Object.entries(TYPES).filter(([type]) => type !== "map" || known.latitude >= 0);
  await draw();
  return element("div", {},
    element("div", { class: "row" }, choice("Chart", "type", types), choice("of", "y", columns.filter(([at]) => known.kinds[at] !== "text")), choice("by", "x", columns)),
    place,
    element("div", { class: "row" },
      button("PNG", async () => (await view.toCanvas(2)).toBlob((blob) => download("chart.png", blob, "image/png")), { "aria-label": "Chart as PNG" }),
      button("SVG", async () => download("chart.svg", await view.toSVG(), "image/svg+xml"), { "aria-label": "Chart as SVG" })));
}
