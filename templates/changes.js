"use strict";
// What a page with counts does beyond showing them: their change against a cell that is chosen, and links into the matrix that
// is not shown. The rule of a change is counts.Change's; tests/test_page.py holds the two together.
const select = document.getElementById("against");
const margin = Number(select.dataset.margin);
const interpreters = JSON.parse(select.dataset.interpreters);
const refusals = JSON.parse(select.dataset.refusals);
const face = select.closest(".face");
const heads = [...face.querySelectorAll("thead tr:last-child th")];
const rows = [...face.querySelectorAll("tbody tr:not(.area)")].map(row => [...row.querySelectorAll("td")].map(field => ({
  field,
  text: field.firstChild.data,
  small: field.querySelector("small"),
  spread: field.querySelector("small")?.textContent,
  detail: field.getAttribute("aria-description"),
  least: "least" in field.dataset ? Number(field.dataset.least) : null,
  most: Number(field.dataset.most),
})));

const change = (reference, candidate) => {
  const relative = (candidate.least - reference.least) / reference.least;
  const apart = candidate.least > reference.most || candidate.most < reference.least;
  return {relative, matters: Math.abs(relative) > margin && apart};
};

const percent = share => {
  const size = Math.abs(100 * share);
  const digits = size.toFixed(size < 9.95 ? 1 : 0);
  const sign = Number(digits) === 0 ? "" : share < 0 ? "\u2212" : "+";
  return `${sign}${digits}\u202f%`;
};

const put = (one, text, told, kind) => {
  one.small.textContent = text;
  one.field.setAttribute("aria-description", told ? `${one.detail}\n${told}` : one.detail);
  for (const each of ["more", "fewer", "refused"]) one.field.classList.toggle(each, each === kind);
};

const compare = (reference, candidate, refusal, cell) => {
  if (refusal) return put(candidate, "\u2013", `not compared with ${cell}: ${refusal}`, "refused");
  if (reference.least === null) return put(candidate, "\u2013", `${cell} has no count of it`, "refused");
  const {relative, matters} = change(reference, candidate);
  const kind = matters ? (relative > 0 ? "more" : "fewer") : "same";
  const why = matters ? "it matters" : "it does not matter";
  put(candidate, percent(relative), `${percent(relative)} against ${reference.text} in ${cell}: ${why}`, kind);
  return kind;
};

const show = () => {
  const chosen = select.value === "" ? -1 : Number(select.value);
  const cell = select.selectedOptions[0].text;
  const tally = {more: 0, fewer: 0, same: 0};
  heads.forEach((head, column) => head.classList.toggle("reference", column === chosen));
  for (const row of rows) {
    row.forEach((one, column) => {
      if (one.least === null) return;
      if (chosen < 0) return put(one, one.spread, "", "");
      if (column === chosen) return put(one, percent(0), "the reference", "");
      const kind = compare(row[chosen], one, refusals[interpreters[chosen]][interpreters[column]], cell);
      if (kind) tally[kind] += 1;
    });
  }
  const {more, fewer, same} = tally;
  face.querySelector("output").textContent = chosen < 0 ? "" : `${more} more, ${fewer} fewer, ${same} unchanged`;
};

const turn = () => {
  const target = document.getElementById(location.hash.slice(1));
  const radio = document.getElementById(`show-${target?.closest(".face")?.dataset.quantity}`);
  if (radio && !radio.checked) {
    radio.checked = true;
    target.scrollIntoView();
  }
};

select.addEventListener("change", show);
select.parentElement.hidden = select.options.length < 3; // none, and a single cell: nothing to compare
addEventListener("hashchange", turn);
turn();
show();
