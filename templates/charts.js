"use strict";
// The charts of a variant of a case, from the page's data: what was measured of it, cell by cell, and release by release.
// Nothing here touches the page; cases.js does.
const Charts = (() => {
  const {data, order, pointsOf} = Values;
  const {number, instructions, counted} = Numbers;
  const pythons = [...new Set(data.cells.map(cell => cell.python))];
  const cores = new Set(data.cells.map(cell => cell.core)).size > 1;
  const SYMBOLS = ["circle", "square", "triangle", "diamond", "cross", "star", "wye"];
  const marked = pythons.map((_, place) => place % SYMBOLS.length); // a Python's colour and symbol, by their number
  const ROW = 15, LETTER = 6.6, TICK = 90, NAME = 52; // px: a row, a letter, the room of a tick and of a release's name

  // What was measured of a variant, a quantity each: one row a cell that has it.
  const quantities = (one, variant) => {
    const fields = variant.fields.map((field, place) => ({field, cell: data.cells[place]}));
    const key = fields.some(({field}) => field.o) ? "o" : "t";
    const share = one.unit === "share";
    const scale = share ? 100 : 1;
    const times = fields.filter(({field}) => field[key]).map(({field, cell}) => {
      const [value, low, high] = field[key].map(each => each === null ? null : each * scale);
      return {cell, value, low, high, points: pointsOf(field).map(each => each * scale)};
    });
    const counts = fields.filter(({field}) => field.c)
      .map(({field, cell}) => ({cell, value: field.c[0], low: field.c[0], high: field.c[1], points: []}));
    const name = share ? "share, %" : key === "o" ? "overhead over native, ns a turn" : "time, ns a turn";
    return [
      {name, counted: false, text: each => number(each), target: key === "o" ? one.target : null, rows: times},
      {name: "instructions a turn", counted: true, text: instructions, target: null, rows: counts},
    ].filter(({rows}) => rows.length);
  };

  const bounded = rows => rows.filter(row => row.low !== null);
  const reach = row => [row.value, row.low ?? row.value, row.high ?? row.value, ...row.points];

  // The ends of an axis: those of the numbers, at least a fifth of the greatest apart, so that noise does not look large; and 0
  // and the target where the numbers keep a third of it.
  const span = (rows, target) => {
    const all = rows.flatMap(reach);
    const [least, most] = [Math.min(...all), Math.max(...all)];
    const room = Math.max(most - least, 0.2 * Math.max(Math.abs(most), Math.abs(least))) || 1;
    let [low, high] = [(least + most - room) / 2, (least + most + room) / 2];
    for (const mark of [0, target]) {
      const [left, right] = [Math.min(low, mark), Math.max(high, mark)];
      if (mark !== null && right - left <= 3 * room) [low, high] = [left, right];
    }
    const margin = 0.04 * (high - low);
    return [low === 0 ? 0 : low - margin, high + margin];
  };

  const extremes = rows => [
    rows.reduce((one, other) => other.value < one.value ? other : one),
    rows.reduce((one, other) => other.value > one.value ? other : one),
  ];

  // What a chart shows, in words: the extremes and where they are, how many cells there are, and a target that is not in sight.
  const said = ({name, text, rows, target}, of) => {
    const ends = [...new Set(extremes(rows))].map(row => `${text(row.value)} (${row.cell.id})`).join(" to ");
    const beyond = target !== null && target > span(rows, target)[1];
    const unseen = beyond ? ` The target, ${text(target)}, lies beyond the right edge.` : "";
    return `${name}: ${ends}; measured in ${rows.length} of ${counted(of, "cell")}.${unseen}`;
  };

  const told = ({name, counted, text}, {cell, value, low, high}) => {
    const interval = low === null ? "" : `95\u202f%: ${text(low)} \u2026 ${text(high)}`;
    const bounds = counted ? `the most of the processes: ${text(high)}` : interval;
    return [cell.id, `${name}: ${text(value)}`, bounds].filter(Boolean).join("\n");
  };

  const tickFormat = each => number(each, 4);
  const base = (width, label) => ({
    width,
    ariaLabel: label,
    marginRight: 12,
    style: {background: "none", fontSize: "11px", fontFamily: "var(--sans)", overflow: "visible"},
    color: {domain: pythons, range: marked.map(mark => `var(--python-${mark})`)},
    symbol: {domain: pythons, range: marked.map(mark => SYMBOLS[mark])},
  });
  const symbols = (rows, at) => Plot.dot(rows, {
    ...at, r: 3.6, fill: "python", symbol: "python", stroke: "var(--bg)", strokeWidth: 0.8, className: "symbols",
  });
  const pointed = (quantity, rows, at) => Plot.tip(rows, Plot.pointer({
    ...at, title: row => told(quantity, row), fill: "var(--bg)", stroke: "var(--rule)", fontSize: 12, lineWidth: 40,
  }));

  // The least and the most, in numbers: beside the row's marks, on the side where there is more room.
  const ends = (quantity, rows, [low, high], at) => [true, false].map(before => Plot.text(
    [...new Set(extremes(rows))].filter(row => Math.min(...reach(row)) - low > high - Math.max(...reach(row)) === before),
    {
      ...at, x: row => before ? Math.min(...reach(row)) : Math.max(...reach(row)), text: row => quantity.text(row.value),
      textAnchor: before ? "end" : "start", dx: before ? -9 : 9,
      fill: "currentColor", stroke: "var(--bg)", strokeWidth: 3, fontWeight: 600, className: "ends",
    },
  ));

  const aimed = (target, group) => [
    Plot.ruleX([target], {stroke: "var(--target)", strokeWidth: 1.5, strokeDasharray: "5 3", className: "target"}),
    Plot.text([group], {fy: each => each, x: () => target, text: () => "target", frameAnchor: "top", dy: -12, fill: "currentColor"}),
  ];

  const named = cell => [
    `cu${cell.toolkit}`,
    [`b${cell.bindings}`, ...(cores ? [`c${cell.core ?? "none"}`] : []), ...cell.extras.map(extra => `+${extra}`)].join(" "),
  ].join(pythons.length > 1 ? "\n" : " ");

  // A row a cell: its number and interval, its processes as dots below. Rows are grouped by toolkit and packages.
  const dots = (quantity, width, label) => {
    const rows = quantity.rows.map(row => ({...row, group: named(row.cell), python: row.cell.python}));
    const groups = [...new Set(rows.map(row => row.group))];
    const versions = pythons.filter(python => rows.some(row => row.python === python));
    const longest = texts => Math.max(...texts.map(text => text.length)) * LETTER;
    const left = longest(groups.flatMap(group => group.split("\n"))) + longest(versions) + 12;
    const [low, high] = span(rows, quantity.target);
    const ticks = Math.max(3, Math.round((width - left) / TICK));
    const at = {fy: "group", y: "python"};
    const single = rows.flatMap(row => row.points.map(point => ({...row, point})));
    return Plot.plot({
      ...base(width, label),
      height: groups.length * Math.max(versions.length * ROW + 6, pythons.length > 1 ? 34 : 0) + 62,
      marginLeft: left, marginTop: 18, marginBottom: 40,
      x: {domain: [low, high], label: quantity.name, labelAnchor: "center", labelArrow: "none", ticks, tickFormat},
      y: {domain: versions, label: null, type: "band"},
      fy: {domain: groups, axis: null, padding: pythons.length > 1 ? 0.08 : 0},
      marks: [
        Plot.frame({stroke: "var(--line)"}),
        Plot.gridX({stroke: "var(--line)", strokeOpacity: 1, ticks}),
        Plot.axisY({tickSize: 0, tickPadding: 6, fill: "var(--mute)"}),
        Plot.text(groups, {
          fy: each => each, text: each => each,
          frameAnchor: "left", textAnchor: "start", dx: -left, lineHeight: 1.25, fill: "currentColor",
        }),
        ...(low <= 0 ? [Plot.ruleX([0], {stroke: "var(--rule)"})] : []),
        ...(quantity.target !== null && quantity.target <= high ? aimed(quantity.target, groups[0]) : []),
        Plot.dot(single, {...at, x: "point", dy: 3.5, r: 1.9, fill: "python", fillOpacity: 0.55, className: "processes"}),
        Plot.ruleY(bounded(rows), {...at, x1: "low", x2: "high", dy: -2, stroke: "python", strokeWidth: 2}),
        symbols(rows, {...at, x: "value", dy: -2}),
        ...ends(quantity, rows, [low, high], at),
        pointed(quantity, rows, {...at, x: "value"}),
      ],
    });
  };

  // As history.chains has it: cells that are one release of a package after the other; here, of three releases at least.
  const chains = (name, release, same) => {
    const lines = new Map();
    for (const cell of data.cells.filter(release)) lines.set(`${same(cell)}`, [...lines.get(`${same(cell)}`) ?? [], cell]);
    const long = [...lines].filter(([, cells]) => new Set(cells.map(release)).size > 2);
    return {name, release, lines: long, cells: new Set(long.flatMap(([, cells]) => cells))};
  };
  const packages = [
    chains("cuda-bindings", cell => cell.bindings, cell => [cell.toolkit.split(".")[0], cell.python, cell.core, ...cell.extras]),
    chains("cuda-core", cell => cell.core, cell => [cell.toolkit, cell.python, cell.bindings, ...cell.extras]),
  ];

  // What of a quantity lies on the lines of a package; nothing of fewer than three releases.
  const along = (quantity, {release, cells}) => {
    const rows = quantity.rows.filter(row => cells.has(row.cell));
    return new Set(rows.map(row => release(row.cell))).size > 2 ? {...quantity, rows, target: null} : null;
  };

  // A number a release, in steps; a release that was not measured breaks the line.
  const steps = (quantity, {name, release, lines}, width, label) => {
    const found = new Map(quantity.rows.map(row => [row.cell, {...row, points: []}]));
    const rows = lines.flatMap(([line, cells]) => cells.map(cell =>
      ({value: NaN, low: null, ...found.get(cell), cell, line, python: cell.python, release: release(cell)})));
    rows.sort((one, other) => order(one.release, other.release));
    const releases = [...new Set(rows.map(row => row.release))];
    const measured = rows.filter(row => found.has(row.cell));
    const upright = releases.length * NAME > width - 76;
    const at = {x: "release", y: "value"};
    return Plot.plot({
      ...base(width, label),
      height: upright ? 280 : 250, marginLeft: 64, marginTop: 30, marginBottom: upright ? 76 : 44,
      x: {
        domain: releases, type: "point", padding: 0.5, tickRotate: upright ? -90 : 0,
        label: `release of ${name}`, labelAnchor: "center", labelArrow: "none", labelOffset: upright ? 70 : 38,
      },
      y: {domain: span([...found.values()], null), label: quantity.name, labelArrow: "none", ticks: 5, tickFormat},
      marks: [
        Plot.gridY({stroke: "var(--line)", strokeOpacity: 1, ticks: 5}),
        Plot.line(rows, {...at, z: "line", stroke: "python", curve: "step", strokeWidth: 1.5, className: "lines"}),
        Plot.ruleX(bounded(measured), {x: "release", y1: "low", y2: "high", stroke: "python", strokeWidth: 1.5}),
        symbols(measured, at),
        pointed(quantity, measured, at),
      ],
    });
  };

  return {pythons, marked, packages, quantities, said, dots, along, steps};
})();
