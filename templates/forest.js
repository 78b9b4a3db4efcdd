"use strict";
// A comparison's filters and its forest plot: a row a verdict, in the order of the table, whose rows are those of the data.
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
let all = false;

const percent = value => `${value < 0 ? "\u2212" : value > 0 ? "+" : ""}${Math.abs(value).toPrecision(3)}\u202f%`;
const label = row => [row.name, row.where].filter(Boolean).join(", ");

const told = row => {
  const interval = row.low === null ? "no interval" : `${percent(row.low)} to ${percent(row.high)}`;
  return `${label(row)}\n${row.word}: ${percent(row.value)} (${interval}), margin ${percent(row.margin).slice(1)}`;
};

const wanted = () => {
  const asked = new FormData(form);
  const kinds = new Set(asked.getAll("kind"));
  const words = asked.get("text").toLowerCase().split(/\s+/).filter(Boolean);
  const is = (name, value) => !asked.get(name) || asked.get(name) === String(value);
  return rows.flatMap((row, index) => kinds.has(row.kind) && is("metric", row.metric) && is("area", row.area)
    && is("control", row.control) && words.every(word => texts[index].includes(word)) ? [index] : []);
};

// What lies far beyond the other changes would press them together: intervals are cut where no change is, dots never.
const domain = drawn => {
  const values = drawn.map(row => row.value);
  const reach = Math.max(...values.map(Math.abs), ...drawn.map(row => row.margin)) * 0.15;
  return [Math.min(...values, ...drawn.map(row => -row.margin)) - reach, Math.max(...values, ...drawn.map(row => row.margin)) + reach];
};

const marks = (drawn, narrow) => {
  const colour = row => `var(--${row.kind})`;
  const y = row => row.index;
  const known = drawn.filter(row => row.low !== null);
  return [
    Plot.gridX({strokeOpacity: 0.12}),
    Plot.barX(drawn, {x1: row => -row.margin, x2: row => row.margin, y, fill: "var(--band)", inset: narrow ? 4 : 0}),
    Plot.ruleX([0], {stroke: "currentColor", strokeOpacity: 0.5}),
    ...Object.entries(SHAPES).flatMap(([kind, [symbol, rotate]]) => {
      const own = {stroke: `var(--${kind})`, y, clip: true};
      return [
        Plot.ruleY(known.filter(row => row.kind === kind), {...own, x1: "low", x2: "high", strokeWidth: 1.6}),
        Plot.dot(drawn.filter(row => row.kind === kind), {
          ...own, x: "value", symbol, rotate, r: 4.2, fill: kind === "inconclusive" ? "var(--bg)" : `var(--${kind})`, title: told,
        }),
      ];
    }),
    ...(narrow ? [Plot.text(drawn, {y, text: label, frameAnchor: "left", textAnchor: "start", dy: -13, fontSize: 11, fill: "currentColor", stroke: "var(--bg)", strokeWidth: 4})] : []),
  ];
};

const draw = found => {
  const drawn = found.filter(index => rows[index].value !== null).slice(0, all ? found.length : FEW).map(index => ({...rows[index], index}));
  more.hidden = found.length <= FEW;
  more.textContent = all ? `show the ${FEW} greatest` : `show all ${found.length}`;
  document.getElementById("told").textContent = `${drawn.length} of ${found.length} rows, the weightiest first.`;
  plot.replaceChildren();
  const width = plot.clientWidth;
  if (!drawn.length || !width) return; // a window that is closing has no width
  const narrow = width < NARROW;
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
    x: {domain: domain(drawn), axis: null},
    y: {type: "band", domain: drawn.map(row => row.index), axis: null},
    marks: [
      Plot.axisX({anchor: "top", label: "change, % of the reference \u2192", labelAnchor: "right", tickSize: 0}),
      Plot.axisX({anchor: "bottom", label: null, tickSize: 0}),
      ...(narrow ? [] : [Plot.axisY({label: null, tickSize: 0, tickFormat: index => labels.get(index)})]),
      ...marks(drawn, narrow),
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
  form.querySelector("output").textContent = `${found.length} of ${rows.length}`;
  draw(found);
};

if (form) {
  form.hidden = figure.hidden = false;
  form.addEventListener("input", show);
  form.addEventListener("submit", event => event.preventDefault());
  more.addEventListener("click", () => { all = !all; show(); });
  let width = 0;
  new ResizeObserver(() => {
    if (plot.clientWidth !== width) { width = plot.clientWidth; show(); }
  }).observe(figure);
  show();
}
