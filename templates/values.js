"use strict";
// What a field of the matrix shows, and the whole story behind it, from the page's data (pagedata.payload tells its keys).
// A place is a row and a column of the matrix. Nothing here touches the page; matrix.js does.
const Values = (() => {
  const {TIMES, number, halfWidth, brief, percent, spelled, times, share, signed, counted, instructions, change} = Numbers;
  const data = JSON.parse(document.getElementById("data").textContent);
  const AXES = ["bindings", "python", "toolkit", "core"];
  const MAY_DIFFER = {bindings: ["bindings", "toolkit"], toolkit: ["toolkit", "bindings"], python: ["python"], core: ["core"]};
  const STANDINGS = {within: "within the target", over: "over the target", unsure: "too uncertain to say whether within the target"};
  const UNLIKE = {f: "failed", n: "not run", a: "n/a"};
  const NONE = "\u2013";

  const rows = data.cases.flatMap(one => one.variants.map(variant => ({
    case: one, variant, twin: variant.native === null ? null : one.variants[variant.native],
  })));
  const place = (row, column) => ({
    row, column, case: row.case, cell: data.cells[column], field: row.variant.fields[column], native: row.twin?.fields[column],
  });

  // A process's place between the least and the most of its field, as pagedata.packed writes it.
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const pointsOf = ({p: [least, most, places] = [0, 0, ""]}) => places.match(/../g)?.map(([high, low]) =>
    least + (most - least) * (64 * LETTERS.indexOf(high) + LETTERS.indexOf(low)) / 4095) ?? [];

  const told = (word, reason) => reason.startsWith(word) ? reason : `${word}: ${reason}`;
  const dash = why => ({text: NONE, small: "", kind: "refused", range: null, why});
  const estimated = (estimate, unit) => unit === "share"
    ? {text: percent(estimate[0]), small: halfWidth(estimate, 100), kind: "", range: estimate}
    : {text: brief(estimate)[0], small: brief(estimate)[1], kind: "", range: estimate};

  // Which column a column is set against. Toolkit and bindings go together: of either, another brings another of the other.
  const order = (one, other) => (one ?? "").localeCompare(other ?? "", "en", {numeric: true});
  const alike = (one, other, axis) => String(one.extras) === String(other.extras)
    && AXES.every(each => MAY_DIFFER[axis].includes(each) || one[each] === other[each]);
  const nearest = (cell, axis, found) => {
    const [, loose = axis] = MAY_DIFFER[axis];
    const rank = (one, other) => order(one[axis], other[axis])
      || (one[loose] === cell[loose]) - (other[loose] === cell[loose]) || order(one[loose], other[loose]);
    return data.cells.indexOf(found.sort(rank).at(-1));
  };
  const find = (against, column) => {
    const [, axis, value] = /^(\w+):(.*)$/.exec(against);
    if (axis === "cell") return data.cells.findIndex(cell => cell.id === value);
    const cell = data.cells[column];
    if (value !== "previous" && String(cell[axis] ?? "none") === value) return column;
    const fits = value === "previous" ? one => order(one[axis], cell[axis]) < 0 : one => String(one[axis] ?? "none") === value;
    return nearest(cell, axis, data.cells.filter(one => fits(one) && alike(one, cell, axis)));
  };

  const references = new Map();
  const reference = (against, column) => {
    if (!references.has(against)) references.set(against, data.cells.map((_, each) => find(against, each)));
    return references.get(against)[column];
  };

  const unlike = (then, now) => data.refusals[then.cell.interpreter][now.cell.interpreter];
  const changed = (range, small, matters) =>
    ({text: change(range[0]), small, kind: matters ? (range[0] > 0 ? "more" : "fewer") : "same", range});

  // The difference of two estimates, with Zou and Donner's (2008) interval, which takes both as independent. Two of one run share
  // their rounds, so that it is rather too wide; verdicts, which have the samples, pair them.
  const difference = ([before, low, high], [after, least, most]) => {
    const value = after - before;
    if (low === null || least === null) return [value, null, null];
    return [value, value - Math.hypot(after - least, high - before), value + Math.hypot(most - after, before - low)];
  };

  // No verdict: it matters where it is beyond the margin and the two fields' own intervals are apart.
  const changeOfTime = (then, now) => {
    const [before, after] = [then.field.t, now.field.t];
    if (now.case.unit === "share") return dash("a share is no time: its changes are not told");
    if (!before) return dash(`${then.cell.id} has no time of it`);
    const found = difference(before, after), range = found.map(each => each === null ? null : each / before[0]);
    const {relative, absolute} = now.case.margin;
    const apart = before[1] !== null && after[1] !== null && (after[1] > before[2] || after[2] < before[1]);
    const beyond = Math.abs(found[0]) > Math.max(relative * before[0], absolute);
    const [size, half] = brief(found);
    const shown = changed(range, `${signed(size, found[0])} ${half}`, beyond && apart);
    const unit = /[ms]$/.test(size) ? "" : " ns";
    const told = found[1] === null ? "no interval: a side has fewer than two processes"
      : `95\u202f%: ${range.slice(1).map(change).join(" \u2026 ")}`;
    const why = !beyond ? "within the margin" : apart ? "beyond the margin, and the intervals are apart" : "the intervals overlap";
    shown.why = `${shown.text} (${signed(size, found[0])}${unit}; ${told}) against ${spelled(before)} in ${then.cell.id}: ${why}`;
    if (unlike(then, now)) shown.why += `\nmind: ${unlike(then, now)}`;
    return shown;
  };

  // The rule of counts.Change and counts.refusal; the range is between two processes.
  const changeOfCount = (then, now) => {
    const refusal = unlike(then, now);
    if (refusal) return dash(`not compared with ${then.cell.id}: ${refusal}`);
    if (!then.field.c) return dash(`${then.cell.id} has no count of it`);
    const [[before, most], [after, afterMost]] = [then.field.c, now.field.c];
    const range = [after - before, after - most, afterMost - before].map(each => each / before);
    const matters = Math.abs(range[0]) > now.case.margin.instructions && (after > most || afterMost < before);
    const shown = changed(range, signed(instructions(after - before), after - before), matters);
    shown.why = `${shown.text} against ${instructions(before)} in ${then.cell.id}: it ${matters ? "matters" : "does not matter"}`;
    return shown;
  };

  const against = rule => (now, chosen) => {
    const column = reference(chosen, now.column);
    if (column < 0) return dash("no cell to set it against: none is the same but for that");
    if (column === now.column) return {text: change(0), small: "", kind: "same", range: [0, null, null], self: true, why: "the reference"};
    return rule(place(now.row, column), now);
  };

  const whyAlone = ({case: one, row, native}) => {
    if (one.alone) return `no native twin. ${one.alone}`;
    if (!native || native.t) return "no native time from the same processes";
    return `${row.twin.name}, ${told(UNLIKE[native.s] ?? "no value", data.reasons[native.why] ?? "")}`;
  };

  // By name: the words for it, the matrix that shows it, the key of what must be there, and what is shown, with its range (the
  // number and its bounds); without a function, what the page itself shows, and the range alone.
  const VALUES = {
    overhead: {label: "Overhead over native, ns a turn", face: "time", key: "t", range: ({field}) => field.o ?? null},
    ratio: {label: "Ratio to native", face: "time", key: "t",
      of: one => one.field.r ? {...estimated(one.field.r, "share"), text: number(one.field.r[0]), small: halfWidth(one.field.r)} : dash(`no ratio: ${whyAlone(one)}`)},
    python: {label: "Own time, ns a turn", face: "time", key: "t", of: ({field, case: one}) => estimated(field.t, one.unit)},
    native: {label: "Native twin's time, ns a turn", face: "time", key: "t",
      of: one => one.native?.t ? estimated(one.native.t, one.case.unit) : dash(`no time of a native twin: ${whyAlone(one)}`)},
    change: {label: "Change of own time", face: "time", key: "t", against: true, of: against(changeOfTime)},
    instructions: {label: "Instructions a turn", face: "instructions", key: "c", range: ({field}) => [field.c[0], ...field.c]},
    "change-instructions": {label: "Change of instructions", face: "instructions", key: "c", against: true, of: against(changeOfCount)},
  };

  // What a place shows of a value; null where the page's own text stays: the value's own, or a word for what is not there.
  const show = (value, one, chosen) => one.field[value.key] && value.of ? value.of(one, chosen) : null;

  const flagsOf = field => (field.f ?? []).map(flag => data.flags[flag]);
  const processesOf = field => counted(field.n ?? field.p[2].length / 2, "process", "processes");

  const storyOfTime = (one, word, standing) => {
    const {field, native, case: of, row} = one;
    if (!field.t) return [told(word, data.reasons[field.why] ?? "")];
    if (of.unit === "share") return [of.title, share(field.t), processesOf(field), ...flagsOf(field)];
    if (!field.o) return [`time: ${spelled(field.t)}`, `no overhead: ${whyAlone(one)}`, processesOf(field), ...flagsOf(field)];
    return [
      `overhead: ${spelled(field.o)}`,
      STANDINGS[standing],
      of.calls > 1 && `a call: ${number(field.o[0] / of.calls)} ns, ${of.calls} calls a turn`,
      field.r && `ratio: ${times(field.r)} native`,
      `${row.variant.name}: ${spelled(field.t)}`,
      native?.t && `${row.twin.name}: ${spelled(native.t)}`,
      processesOf(field),
      ...flagsOf(field),
      ...(native ? flagsOf(native).map(flag => `${row.twin.name}: ${flag}`) : []),
    ];
  };

  const beside = (least, name, [native]) =>
    `${name}: ${instructions(native)}; against it ${signed(instructions(least - native), least - native)}, ${number(least / native)} ${TIMES}`;

  const storyOfCount = ({field, native, case: of, row}, word) => {
    if (!field.c) return [told(word, data.reasons[field.x] ?? "")];
    const [least, most] = field.c;
    const [processes, turns, settled] = data.countings[field.k];
    const modes = (field.m ?? []).map(([mode, own]) => `${instructions(mode)} (${counted(own, "process", "processes")})`);
    return [
      `${instructions(least)} instructions a turn, the least of ${counted(processes, "process", "processes")}`,
      `the most: ${instructions(most)}, spread ${percent((most - least) / least, 2)}`,
      modes.length && `two modes: ${modes.join(", ")}`,
      of.calls > 1 && `a call: ${instructions(least / of.calls)}, ${of.calls} calls a turn`,
      native?.c && beside(least, row.twin.name, native.c),
      `counted over blocks of ${number(turns, 9)} and ${counted(2 * turns, "turn")}`,
      settled ? "settled before it was counted" : "Not settled: blocks of turns still differed when it was counted.",
    ];
  };

  // The whole story of a place in lines. `word` and `standing` are what the page's own text says of it.
  const story = (value, one, chosen, word, standing) => [
    `${one.case.id} / ${one.row.variant.name}`,
    one.cell.id,
    show(value, one, chosen)?.why,
    ...(value.face === "time" ? storyOfTime(one, word, standing) : storyOfCount(one, word)),
  ].filter(Boolean);

  return {data, rows, place, show, story, pointsOf, reference, order, AXES, VALUES};
})();
