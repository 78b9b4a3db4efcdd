"use strict";
// A comparison's filters and its forest plot: a row a verdict, in the order of the table, whose rows are those of the data. The
// fragment holds what is filtered (`#?kind=slower&area=launch`), without what is as it was.
const data = JSON.parse(document.getElementById("data").textContent);
const rows = data.rows.map(([metric, kind, name, cell, value, low, high, margin]) => ({
  metric, value, low, high, margin,
  kind: data.kinds[kind],
  word: data.words[metric][kind],
  name: data.names[name],
  where: data.cells.length > 1 ? data.cells[cell] : "",
  area: data.names[name].split(".")[0],
  control: data.names[name].split(" ").at(-1).startsWith("native"),
}));
const form = document.querySelector(".filters");
const figure = document.getElementById("forest");
const plot = document.getElementById("plot");
const more = document.getElementById("more");
const shown = [...document.querySelectorAll(".verdicts tbody tr")];
const texts = shown.map(row => row.textContent.toLowerCase());
const FEW = 40; // rows that are drawn until all are asked for
const NARROW = 700; // below so many pixels a name stands above its row
const SHAPES = {slower: ["triangle", 0], faster: ["triangle", 180], equivalent: ["circle", 0], inconclusive: ["diamond", 0]};
const CUT = 4; // so many times what most changes stay within: a change beyond it would press all others together
let all = false;
let notes = [];

const percent = value => `${Numbers.signed(Numbers.number(value), value)}\u202f%`;
const label = row => [row.name, row.where].filter(Boolean).join(", ");

const told = row => {
  const interval = row.low === null ? "no interval" : `${percent(row.low)} to ${percent(row.high)}`;
  return `${label(row)}\n${row.word}: ${percent(row.value)} (${interval}), margin ${Numbers.number(row.margin)}\u202f%`;
};

const wanted = () => {
  const asked = new FormData(form);
  const kinds = new Set(asked.getAll("kind"));
  const words = asked.get("text").toLowerCase().split(/\s+/).filter(Boolean);
  const is = (name, value) => !asked.get(name) || asked.get(name) === String(value);
  return rows.flatMap((row, index) => kinds.has(row.kind) && is("metric", row.metric) && is("area", row.area)
    && is("control", row.control) && words.every(word => texts[index].includes(word)) ? [index] : []);
};

const among = (values, share) => [...values].sort((one, other) => one - other)[Math.floor(share * (values.length - 1))];

// The ends of the axis: those of the changes, and of a usual margin. Intervals and bands are cut there, and so is a change many
// times beyond what four in five stay within: an arrow at the edge tells it.
const domain = drawn => {
  const margin = among(drawn.map(row => row.margin), 0.5);
  const most = CUT * Math.max(among(drawn.map(row => Math.abs(row.value)), 0.8), margin);
  const kept = drawn.map(row => row.value).filter(value => Math.abs(value) <= most);
  const [low, high] = [Math.min(...kept, -margin), Math.max(...kept, margin)];
  const room = 0.15 * Math.max(-low, high);
  return [low - room, high + room];
};

const marks = (drawn, [low, high], narrow) => {
  const y = row => row.index;
  const known = drawn.filter(row => row.low !== null);
  const beyond = drawn.filter(row => row.value < low || row.value > high);
  const within = drawn.filter(row => !beyond.includes(row));
  return [
    Plot.gridX({strokeOpacity: 0.12}),
    Plot.barX(drawn, {x1: row => -row.margin, x2: row => row.margin, y, fill: "var(--band)", inset: narrow ? 4 : 0, clip: true}),
    Plot.ruleX([0], {stroke: "currentColor", strokeOpacity: 0.5}),
    ...Object.entries(SHAPES).flatMap(([kind, [symbol, rotate]]) => {
      const own = {stroke: `var(--${kind})`, y, clip: true};
      return [
        Plot.ruleY(known.filter(row => row.kind === kind), {...own, x1: "low", x2: "high", strokeWidth: 1.6}),
        Plot.dot(within.filter(row => row.kind === kind), {
          ...own, x: "value", symbol, rotate, r: 4.2, fill: kind === "inconclusive" ? "var(--bg)" : `var(--${kind})`, title: told,
        }),
      ];
    }),
    ...[[low, -1], [high, 1]].flatMap(([edge, side]) => {
      const own = beyond.filter(row => Math.sign(row.value) === side);
      const at = {x: () => edge, y};
      return [
        Plot.dot(own, {...at, dx: -5 * side, symbol: "triangle", rotate: 90 * side, r: 4.2, fill: row => `var(--${row.kind})`, title: told}),
        Plot.text(own, {
          ...at, dx: -14 * side, textAnchor: side > 0 ? "end" : "start", text: row => percent(row.value),
          fill: "currentColor", stroke: "var(--bg)", strokeWidth: 4, fontWeight: 600,
        }),
      ];
    }),
    ...(narrow ? [Plot.text(drawn, {y, text: label, frameAnchor: "left", textAnchor: "start", dy: -13, fontSize: 11, fill: "currentColor", stroke: "var(--bg)", strokeWidth: 4})] : []),
  ];
};

const tickFormat = value => Numbers.number(value, 4);

const draw = found => {
  const drawn = found.filter(index => rows[index].value !== null).slice(0, all ? found.length : FEW).map(index => ({...rows[index], index}));
  more.hidden = found.length <= FEW;
  more.textContent = all ? `show the ${FEW} greatest` : `show all ${found.length}`;
  document.getElementById("told").textContent = `${drawn.length} of ${found.length} rows, the weightiest first.`;
  plot.replaceChildren();
  const width = plot.clientWidth;
  if (!drawn.length || !width) return; // a window that is closing has no width
  const narrow = width < NARROW;
  const ends = domain(drawn);
  const cut = drawn.some(row => row.value < ends[0] || row.value > ends[1]);
  document.getElementById("told").textContent += cut ? " An arrow at the edge: a change beyond it, in its number." : "";
  const longest = Math.max(...drawn.map(row => label(row).length));
  const labels = new Map(drawn.map(row => [row.index, label(row)]));
  const svg = Plot.plot({
    width,
    height: drawn.length * (narrow ? 36 : 20) + 80,
    marginLeft: narrow ? 8 : Math.min(0.5 * width, 6.3 * longest + 16),
    marginRight: 16,
    marginTop: 44,
    marginBottom: 36,
    style: {fontSize: "11.5px", fontFamily: "var(--sans)"},
    ariaLabel: "Change by case, in per cent of the reference",
    ariaDescription: drawn.slice(0, 5).map(told).join("; "),
    x: {domain: ends, axis: null},
    y: {type: "band", domain: drawn.map(row => row.index), axis: null},
    marks: [
      Plot.axisX({anchor: "top", label: "change, % of the reference \u2192", labelAnchor: "right", tickSize: 0, tickFormat}),
      Plot.axisX({anchor: "bottom", label: null, tickSize: 0, tickFormat}),
      ...(narrow ? [] : [Plot.axisY({label: null, tickSize: 0, tickFormat: index => labels.get(index)})]),
      ...marks(drawn, ends, narrow),
    ],
  });
  svg.setAttribute("role", "img");
  for (const mark of svg.querySelectorAll("g[aria-label]")) mark.removeAttribute("aria-label"); // ARIA allows no name on a g
  plot.append(svg);
};

const show = () => {
  const found = wanted();
  const kept = new Set(found);
  shown.forEach((row, index) => { row.hidden = !kept.has(index); });
  form.querySelector("output").textContent = [`${found.length} of ${rows.length}`, ...notes].join(" ");
  draw(found);
};

// The state: in the form, and in the fragment.
const KEPT = ["metric", "area", "control", "text"];
const fragment = () => {
  const asked = new FormData(form), kinds = asked.getAll("kind");
  const parts = kinds.length === data.kinds.length ? [] : kinds.length ? kinds.map(kind => ["kind", kind]) : [["kind", "none"]];
  parts.push(...KEPT.filter(name => asked.has(name) && asked.get(name) !== usual[name]).map(name => [name, asked.get(name)]));
  if (all) parts.push(["all", "yes"]);
  return parts.length ? `#?${new URLSearchParams(parts)}` : "";
};
const accepts = (name, value) => {
  if (name === "kind") return value === "none" || data.kinds.includes(value);
  if (name === "all") return value === "yes";
  return name === "text" || KEPT.includes(name) && [...form.elements[name]?.options ?? []].some(each => each.value === value);
};
const read = text => {
  const given = [...new URLSearchParams(text.replace(/^#\??/, ""))];
  const known = given.filter(([name, value]) => accepts(name, value));
  const kinds = known.filter(([name]) => name === "kind").map(([, value]) => value);
  notes = given.filter(each => !known.includes(each)).map(([name, value]) => `Not known, and ignored: ${name}=${value}.`);
  form.reset();
  for (const box of form.querySelectorAll("[name=kind]")) box.checked = !kinds.length || kinds.includes(box.value);
  for (const [name, value] of known.filter(([name]) => KEPT.includes(name))) form.elements[name].value = value;
  all = known.some(([name]) => name === "all");
};
const remember = () => {
  const now = fragment();
  if (now || location.hash.startsWith("#?")) history.replaceState(null, "", now || location.pathname + location.search);
};
const act = () => {
  notes = [];
  show();
  remember();
};

const usual = form ? Object.fromEntries(new FormData(form)) : {};
if (form) {
  form.hidden = figure.hidden = false;
  if (location.hash.startsWith("#?")) read(location.hash);
  form.addEventListener("input", act);
  form.addEventListener("submit", event => event.preventDefault());
  more.addEventListener("click", () => { all = !all; act(); });
  addEventListener("hashchange", () => {
    if (location.hash && !location.hash.startsWith("#?")) return;
    read(location.hash);
    show();
  });
  let width = 0;
  new ResizeObserver(() => {
    if (plot.clientWidth !== width) { width = plot.clientWidth; show(); }
  }).observe(figure);
  show();
}
