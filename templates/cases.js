"use strict";
// The sections of cases: a case's charts are drawn when its section is opened, since 366 charts of 32 cells with every process as
// a dot would be 12 MB of SVG. Also opens the section, of a case or of a cell, that a fragment leads to.
{
  const GLYPHS = ["\u25cf", "\u25a0", "\u25b2", "\u25c6", "\u271a", "\u2605", "\u2a53"]; // those of Charts' symbols
  const cases = new Map(Values.data.cases.map(one => [one.id, one]));

  const element = (name, text, kind = "") => Object.assign(document.createElement(name), {textContent: text, className: kind});

  // Each Python's mark, and what the marks mean.
  const legend = quantities => {
    const marks = element("p", "", "pythons");
    marks.append(...Charts.pythons.map((python, place) => {
      const glyph = element("span", GLYPHS[Charts.marked[place]]);
      glyph.style.color = `var(--python-${Charts.marked[place]})`;
      glyph.setAttribute("aria-hidden", "true");
      const one = element("span", "");
      one.append(glyph, ` Python ${python}`);
      return one;
    }));
    const single = quantities.some(({rows}) => rows.some(row => row.points.length));
    const dots = single ? ", a small dot below it one process" : "";
    const told = [
      quantities.some(({counted}) => !counted) ? `A symbol is a cell's number, its line the 95\u202f% interval${dots}.` : "",
      quantities.some(({counted}) => counted)
        ? "Of instructions, a symbol is the least of a cell's processes, its line ends at the most." : "",
      "Each chart has a scale of its own.",
    ];
    return [marks, element("p", told.filter(Boolean).join(" "), "hint")];
  };

  const figure = (host, title, text, chart) => {
    const made = document.createElement("figure");
    const caption = document.createElement("figcaption");
    caption.append(element("b", title), ` ${text}`);
    made.append(caption);
    host.append(made);
    const svg = chart(made.clientWidth, `${title}. ${text}`);
    svg.setAttribute("role", "img");
    for (const mark of svg.querySelectorAll("g[aria-label]")) mark.removeAttribute("aria-label"); // ARIA allows no name on a g
    made.append(svg);
  };

  const draw = host => {
    const one = cases.get(host.dataset.case);
    const python = one.variants.filter(variant => !variant.name.startsWith("native"));
    const drawn = (python.length ? python : one.variants)
      .map(variant => ({name: variant.name, quantities: Charts.quantities(one, variant)}))
      .filter(({quantities}) => quantities.length);
    host.replaceChildren(...(drawn.length ? legend(drawn.flatMap(({quantities}) => quantities))
      : [element("p", "Nothing of it was measured in this run: there is no chart.", "hint")]));
    for (const {name, quantities} of drawn) {
      for (const quantity of quantities) {
        figure(host, name, Charts.said(quantity, Values.data.cells.length), (...size) => Charts.dots(quantity, ...size));
      }
    }
    for (const {name, quantities} of drawn) {
      for (const line of Charts.packages) {
        const quantity = Charts.along(quantities.at(-1), line); // instructions where there are any
        if (!quantity) continue;
        const title = `${name} by release of ${line.name}`;
        figure(host, title, Charts.said(quantity, line.cells.size), (...size) => Charts.steps(quantity, line, ...size));
      }
    }
    host.dataset.width = host.clientWidth;
  };

  const show = details => {
    const host = details.querySelector(".charts");
    if (details.open && host && host.dataset.width !== String(host.clientWidth)) draw(host);
  };

  const arrive = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target?.closest("details")) return;
    for (let each = target.closest("details"); each; each = each.parentElement.closest("details")) each.open = true;
    target.scrollIntoView();
  };

  let waiting;
  document.querySelector("#cases .scriptless").remove();
  document.getElementById("cases").addEventListener("toggle", event => show(event.target), true);
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => document.querySelectorAll("details.case[open]").forEach(show), 150);
  });
  addEventListener("hashchange", arrive);
  arrive();
}
