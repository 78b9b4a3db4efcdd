"use strict";
// The toolbar over the matrix: which value it shows, which rows and columns, in which order. All of it is one state, which the
// fragment holds (`#?value=ratio&area=launch`), without what is as it was. Without this script the matrix stands as it is.
const Matrix = (() => {
  const {data, rows, place, show, VALUES} = Values;
  const section = document.getElementById("matrix");
  const toolbar = section.querySelector(".toolbar");
  const status = section.querySelector(".shown");
  const controls = toolbar.elements;
  const NAMES = ["value", "against", "area", "case", "variant", "toolkit", "python", "flag", "sort"];

  // The matrices of the page by what they show, each with its rows in the order of the page.
  const byId = new Map(rows.flatMap(row => [[row.variant.anchor, row], [`instructions/${row.variant.anchor}`, row]]));
  const faces = Object.fromEntries([...section.querySelectorAll(".face")].map(element => {
    const table = element.querySelector("table");
    const [toolkits, releases, heads] = table.tHead.rows;
    const lines = [...table.querySelectorAll("tbody tr:not(.area)")].map(line => ({line, home: line.parentNode, row: byId.get(line.id)}));
    const spans = [[...toolkits.cells].slice(1), [...releases.cells]].map(some => some.map(head => ({head, width: head.colSpan})));
    const [columns, opens] = [data.cells.map(() => true), data.cells.map(() => false)];
    return [element.dataset.quantity,
      {element, table, heads: [...heads.cells], lines, spans, columns, opens, sorted: document.createElement("tbody")}];
  }));

  const state = {};
  let columns = data.cells.map(() => true);
  let painted = "";
  let notes = [];

  const face = () => faces[VALUES[state.value].face];

  // What the controls offer: filters by the matrix that is shown, and one that would divide nothing is hidden.
  const offer = () => {
    controls.value.replaceChildren(...Offers.values(Object.keys(faces)));
    controls.against.replaceChildren(...Offers.against());
    controls.sort.replaceChildren(...Offers.sorts());
  };
  let filtered = null;
  const narrow = () => {
    const {face: shown, key} = VALUES[controls.value.value];
    if (shown === filtered) return;
    filtered = shown;
    for (const [name, choices] of Object.entries(Offers.filters(faces[shown].lines.map(({row}) => row), key))) {
      const chosen = controls[name].value;
      controls[name].replaceChildren(...Offers.all(choices));
      controls[name].value = choices.includes(chosen) ? chosen : "";
      controls[name].parentNode.hidden = !choices.length;
    }
  };

  // The state: in the controls, in the fragment, and here.
  const usual = name => name === "case" ? "" : controls[name].options[0]?.value ?? "";
  const accepts = (name, value) => name === "case" || [...controls[name].options].some(each => each.value === value);
  const fragment = () => {
    const kept = NAMES.filter(name => state[name] !== usual(name) && (name !== "against" || VALUES[state.value].against));
    return kept.length ? `#?${new URLSearchParams(kept.map(name => [name, state[name]]))}` : "";
  };
  const read = text => {
    const given = new URLSearchParams(text.replace(/^#\??/, ""));
    controls.value.value = accepts("value", given.get("value")) ? given.get("value") : usual("value");
    narrow();
    const known = [...given].filter(([name, value]) => NAMES.includes(name) && accepts(name, value));
    notes = [...given].filter(each => !known.some(one => one[0] === each[0] && one[1] === each[1]))
      .map(([name, value]) => `Not known, and ignored: ${name}=${value}.`);
    for (const name of NAMES) controls[name].value = usual(name);
    for (const [name, value] of known) controls[name].value = value;
  };
  const remember = () => {
    const now = fragment();
    if (now || location.hash.startsWith("#?")) history.replaceState(null, "", now || location.pathname + location.search);
  };

  // Which rows and columns are shown.
  const pattern = text => {
    const escaped = text.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".");
    return new RegExp(/[*?]/.test(text) ? `^${escaped}$` : escaped, "i");
  };
  const flagged = (row, column) => [...data.cells[column].flags, ...row.variant.fields[column].f ?? []]
    .some(flag => Offers.short(data.flags[flag]) === state.flag);
  const chooseRows = () => {
    const wanted = pattern(state.case);
    return face().lines.filter(({row}) => (!state.area || row.case.area === state.area)
      && (!state.variant || row.variant.name === state.variant) && wanted.test(row.case.id));
  };
  const chooseColumns = () => data.cells.map(cell => (!state.toolkit || cell.toolkit === state.toolkit)
    && (!state.python || cell.python === state.python));
  const choose = () => {
    const lines = chooseRows(), shown = chooseColumns();
    if (!state.flag) return [lines, shown];
    const kept = shown.map((each, column) => each && lines.some(({row}) => flagged(row, column)));
    return [lines.filter(({row}) => kept.some((each, column) => each && flagged(row, column))), kept];
  };

  // What a field shows. Its own text is kept, as the page's is told from more digits than the data has.
  const keep = one => [...one.line.cells].slice(1).map(cell => ({
    cell, kinds: cell.className, edge: cell.classList.contains("edge"), nodes: [...cell.childNodes],
    flagged: cell.classList.contains("flagged"), word: cell.firstChild.data,
    standing: ["over", "unsure"].find(each => cell.classList.contains(each)) ?? "within",
  }));
  const put = ({cell, kinds, edge, nodes, flagged: corner}, shown) => {
    if (!shown) {
      cell.className = kinds;
      return cell.replaceChildren(...nodes);
    }
    cell.className = [edge && "edge", shown.kind, corner && shown.range && "flagged"].filter(Boolean).join(" ");
    cell.replaceChildren(shown.text);
    if (shown.small) cell.appendChild(document.createElement("small")).textContent = shown.small;
  };
  const paint = () => {
    const value = VALUES[state.value];
    const wanted = `${state.value} ${value.against ? state.against : ""}`;
    if (wanted === painted || !painted && !value.of) return;
    painted = wanted;
    for (const one of face().lines) {
      one.kept ??= keep(one);
      one.kept.forEach((kept, column) => put(kept, show(value, place(one.row, column), state.against)));
    }
  };

  // The number that is shown, and its bounds; null where there is none.
  const rangeOf = (row, column) => {
    const value = VALUES[state.value], one = place(row, column);
    if (!one.field[value.key]) return null;
    return value.of ? value.of(one, state.against).range : value.range(one);
  };
  const rank = row => {
    const number = column => rangeOf(row, column)?.[0] ?? -Infinity;
    if (state.sort !== "greatest") return number(data.cells.findIndex(cell => cell.id === state.sort));
    return Math.max(...data.cells.map((_, column) => columns[column] ? number(column) : -Infinity));
  };
  const arrange = lines => {
    const {table, sorted, lines: every} = face();
    if (state.sort) {
      sorted.className = "sorted";
      table.append(sorted);
      const ranked = lines.map(one => [rank(one.row), one]).sort(([one], [other]) => other > one ? 1 : other < one ? -1 : 0);
      sorted.append(...ranked.map(([, one]) => one.line));
    } else if (sorted.isConnected) {
      for (const {line, home} of every) home.append(line);
      sorted.remove();
    }
    const shown = new Set(lines);
    for (const one of every) one.line.hidden = !shown.has(one);
    for (const area of table.querySelectorAll(".area")) area.hidden = !area.parentNode.querySelector("tr:not(.area):not([hidden])");
  };

  // Hides and shows the columns that changed. A matrix may have hundreds of thousands of fields.
  const cut = () => {
    const own = face(), {heads, spans, lines} = own;
    const opens = columns.map((each, column) => each && column > 0 && !columns[column - 1]);
    columns.forEach((each, column) => {
      if (own.columns[column] === each && own.opens[column] === opens[column]) return;
      for (const cell of [heads[column], ...lines.map(({line}) => line.cells[column + 1])]) {
        cell.hidden = !each;
        cell.toggleAttribute("data-opens", opens[column]);
      }
    });
    Object.assign(own, {columns, opens});
    for (const level of spans) {
      let start = 0;
      for (const {head, width} of level) {
        const left = columns.slice(start, start += width).filter(Boolean).length;
        head.hidden = !left;
        head.colSpan = left || 1;
      }
    }
    const fixed = VALUES[state.value].against && /^cell:(.*)$/.exec(state.against)?.[1];
    heads.forEach((head, column) => {
      head.classList.toggle("reference", data.cells[column].id === fixed);
      if (data.cells[column].id === state.sort) head.setAttribute("aria-sort", "descending");
      else head.removeAttribute("aria-sort");
    });
  };

  const tally = lines => {
    if (!VALUES[state.value].against) return "";
    const kinds = {more: 0, fewer: 0, same: 0};
    for (const {row} of lines) {
      columns.forEach((each, column) => {
        const shown = each && show(VALUES[state.value], place(row, column), state.against);
        if (shown && !shown.self && shown.kind in kinds) kinds[shown.kind] += 1;
      });
    }
    const [more, fewer] = state.value === "change" ? ["slower", "quicker"] : ["more", "fewer"];
    return ` ${kinds.more} ${more}, ${kinds.fewer} ${fewer}, ${kinds.same} unchanged.`;
  };
  const say = lines => {
    const own = columns.filter(Boolean).length, every = face().lines.length;
    const extent = `${lines.length} of ${every} rows, ${own} of ${columns.length} columns.`;
    status.textContent = [extent + tally(lines), ...notes].join(" ");
  };

  const title = () => {
    const {label, against} = VALUES[state.value];
    return against ? `${label}, against ${controls.against.selectedOptions[0].text}` : label;
  };
  const render = () => {
    narrow();
    for (const name of NAMES) state[name] = controls[name].value;
    const {against} = VALUES[state.value];
    controls.against.parentNode.hidden = !against;
    const radio = document.getElementById(`show-${VALUES[state.value].face}`);
    if (radio) radio.checked = true;
    document.getElementById("matrix-head").textContent = title();
    for (const legend of section.querySelectorAll("[data-value]")) legend.hidden = legend.dataset.value !== state.value;
    const [lines, shown] = choose();
    columns = shown;
    paint();
    arrange(lines);
    cut();
    say(lines);
    section.dispatchEvent(new Event("shown"));
  };

  // A link to a row that is hidden, or in the other matrix, shows it.
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    const own = target?.closest(".face");
    if (!own) return;
    if (own !== face().element) controls.value.value = own.dataset.quantity === "time" ? "overhead" : "instructions";
    if (own !== face().element || target.hidden) {
      for (const name of NAMES.slice(2)) controls[name].value = usual(name);
      render();
    }
    target.scrollIntoView();
  };
  const follow = () => {
    if (location.hash && !location.hash.startsWith("#?")) return reveal();
    read(location.hash);
    render();
  };

  const act = () => {
    notes = [];
    render();
    remember();
  };
  const sortBy = id => {
    controls.sort.value = state.sort === id ? "" : id;
    act();
  };

  const start = () => {
    offer();
    for (const quantity of Object.keys(faces)) faces[quantity].element.querySelector(".pointing").hidden = false;
    for (const each of section.querySelectorAll(".switch")) each.hidden = true; // its radios still choose the matrix that is shown
    toolbar.hidden = false;
    read(location.hash.startsWith("#?") ? location.hash : "");
    render();
    toolbar.addEventListener("input", act);
    toolbar.addEventListener("submit", event => event.preventDefault());
    toolbar.addEventListener("reset", event => {
      event.preventDefault();
      read("");
      act();
    });
    addEventListener("hashchange", follow);
    reveal();
  };
  start();

  return {
    section, toolbar, state, faces, face, title, sortBy, rangeOf,
    say: text => { status.textContent = text; },
    columns: () => columns,
    lines: () => [...face().table.querySelectorAll("tbody tr:not(.area):not([hidden])")],
    rowOf: line => byId.get(line.id),
    keptOf: line => {
      const one = face().lines.find(each => each.line === line);
      return one.kept ??= keep(one);
    },
  };
})();
