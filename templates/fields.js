"use strict";
// The matrix as a grid: one tab stop, arrow keys within, and the whole story of the field that is pointed at, tapped or reached.
{
  const {section, state, face, columns, lines, rowOf, keptOf} = Matrix;
  const {place, story, VALUES} = Values;
  const bubble = document.body.appendChild(document.createElement("div"));
  bubble.id = "story";
  bubble.setAttribute("role", "tooltip");
  bubble.hidden = true;
  const narrow = matchMedia("(max-width: 30rem)"); // as in page.css.j2: there the story stands below the matrix, and hides no row
  let shownFor = null;
  let stop = null;

  const cellOf = node => node.closest?.(".matrix tbody td, .matrix tbody th[scope=row], .matrix thead tr:last-child th") ?? null;
  const columnOf = cell => cell.cellIndex + (cell.closest("thead") ? 1 : 0); // 0 is that of the rows' own heads

  const linesOf = cell => {
    if (cell.tagName === "TH") return (cell.getAttribute("aria-description") ?? "").split("\n");
    const line = cell.parentNode, column = cell.cellIndex - 1;
    const {word, standing} = keptOf(line)[column];
    return story(VALUES[state.value], place(rowOf(line), column), state.against, word, standing);
  };

  // Under the field, or above it where there is no room; on a narrow screen below the matrix.
  const settle = cell => {
    const frame = face().element.querySelector(".frame");
    if (narrow.matches && frame.nextElementSibling !== bubble) frame.after(bubble);
    if (narrow.matches) return bubble.removeAttribute("style");
    if (bubble.parentNode !== document.body) document.body.append(bubble);
    const field = cell.getBoundingClientRect(), own = bubble.getBoundingClientRect();
    const below = field.bottom + 6, above = field.top - own.height - 6;
    const top = below + own.height <= innerHeight || above < 0 ? below : above;
    bubble.style.top = `${Math.max(Math.min(top, innerHeight - own.height - 4), 4)}px`;
    bubble.style.left = `${Math.max(Math.min(field.left, document.documentElement.clientWidth - own.width - 8), 8)}px`;
  };
  const hide = () => {
    bubble.hidden = true;
    shownFor = null;
  };
  const tell = cell => {
    const [title, ...rest] = linesOf(cell);
    bubble.replaceChildren(document.createElement("b"), ...rest.flatMap(line => ["\n", line]));
    bubble.firstChild.textContent = title;
    bubble.hidden = false;
    shownFor = cell;
    settle(cell);
  };

  // One cell can be reached with Tab; links of a head are reached from it with Enter.
  const isShown = cell => cell && !cell.closest("[hidden]") && cell.closest(".face") === face().element;
  const usual = () => {
    const [line] = lines();
    const column = columns().indexOf(true);
    return line ? line.cells[column + 1] : null;
  };
  const stopAt = cell => {
    stop?.removeAttribute("tabindex");
    stop = cell;
    if (stop) stop.tabIndex = 0;
  };
  const linksOf = cell => [...cell.querySelectorAll("a, summary, button")].filter(each => each.checkVisibility());
  const goTo = cell => {
    if (!cell) return;
    stopAt(cell);
    cell.focus({preventScroll: true});
    cell.scrollIntoView({block: "nearest", inline: "nearest"});
    if (narrow.matches) bubble.scrollIntoView({block: "nearest"}); // both fit: page.css.j2 leaves room
  };

  const move = (cell, down, right, far) => {
    const places = [face().heads[0].parentNode, ...lines()];
    const shown = [0, ...columns().flatMap((each, column) => each ? [column + 1] : [])];
    const at = [places.indexOf(cell.parentNode), shown.indexOf(columnOf(cell))];
    const clamp = (to, some) => Math.min(Math.max(to, 0), some.length - 1);
    const line = clamp(far && down ? down * places.length : at[0] + down, places);
    const own = line ? shown : shown.slice(1), from = line ? at[1] : at[1] - 1;
    const column = own[clamp(right === Infinity ? own.length : right === -Infinity ? 0 : from + right, own)];
    goTo(places[line].cells[line ? column : column - 1]);
  };
  const KEYS = {
    ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1], PageDown: [10, 0], PageUp: [-10, 0],
    Home: [0, -Infinity], End: [0, Infinity],
  };
  const within = (event, cell) => {
    const links = linksOf(cell), at = links.indexOf(event.target);
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (event.key === "Escape") goTo(cell);
    else if (step) links[(at + step + links.length) % links.length].focus();
    else return;
    event.preventDefault();
  };
  const press = event => {
    const cell = cellOf(event.target);
    if (!cell || event.altKey || event.metaKey) return;
    if (event.target !== cell) return within(event, cell);
    if (event.key === "Escape") return hide();
    if (event.key === "Enter") {
      const [link] = linksOf(cell);
      if (link) link.focus();
      else tell(cell);
    } else if (KEYS[event.key]) {
      const [down, right] = KEYS[event.key];
      const corner = event.ctrlKey && Math.abs(right) === Infinity;
      move(cell, corner ? Math.sign(right) : down, right, corner);
    } else return;
    event.preventDefault();
  };

  const dress = ({element, table, heads}) => {
    table.setAttribute("role", "grid");
    table.setAttribute("aria-label", element.querySelector(".matrix").getAttribute("aria-label"));
    element.querySelector(".matrix").removeAttribute("tabindex");
    heads.forEach((head, column) => {
      const {id} = Values.data.cells[column];
      const button = head.appendChild(document.createElement("button"));
      button.type = "button";
      button.setAttribute("aria-label", `Sort by ${id}`);
      button.addEventListener("click", () => Matrix.sortBy(id));
    });
    for (const link of table.querySelectorAll("a, summary, button")) link.tabIndex = -1;
  };

  document.documentElement.classList.add("scripted");
  Object.values(Matrix.faces).forEach(dress);
  stopAt(usual());
  section.addEventListener("shown", () => {
    hide();
    if (!isShown(stop)) stopAt(usual());
  });
  section.addEventListener("keydown", press);
  section.addEventListener("click", event => {
    const cell = cellOf(event.target);
    if (cell && event.target.closest("a, summary, button") === null) goTo(cell);
    if (cell) tell(cell);
  });
  section.addEventListener("focusin", event => {
    const cell = cellOf(event.target);
    if (!cell) return;
    cell.setAttribute("aria-describedby", "story");
    tell(cell);
  });
  section.addEventListener("focusout", event => {
    cellOf(event.target)?.removeAttribute("aria-describedby");
    hide();
  });
  section.addEventListener("mouseover", event => {
    const cell = narrow.matches ? null : cellOf(event.target); // there the page scrolls beneath a pointer that has chosen
    if (cell) tell(cell);
  });
  section.addEventListener("mouseout", event => {
    if (narrow.matches || cellOf(event.target) === cellOf(event.relatedTarget ?? document.body)) return;
    hide();
    const focused = cellOf(document.activeElement);
    if (focused) tell(focused);
  });
  addEventListener("keydown", event => {
    if (event.key === "Escape") hide();
  });
  addEventListener("scroll", () => shownFor && settle(shownFor), {capture: true, passive: true});
}
