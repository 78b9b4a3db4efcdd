"use strict";
// What the matrix shows now, as a link, as Markdown and as CSV. Where the browser denies the clipboard, as to many pages that
// are opened from a file, the text stands in a dialog, selected.
{
  const {toolbar, title, columns, lines, rowOf, rangeOf, say} = Matrix;
  const {data} = Values;
  const SPACES = /\u202f/g;

  const chosen = () => columns().flatMap((each, column) => each ? [column] : []);
  const heads = () => chosen().map(column => data.cells[column].id);
  const shown = (line, column) => [...line.cells[column + 1].childNodes].map(node => node.textContent).join(" ").trim();

  const plain = text => text.replace(/[\\`*_[\]<>|#]/g, "\\$&").replace(/[^\S\u202f]+/g, " ");
  const markdown = () => {
    const table = [
      ["case", "variant", ...heads()].map(plain),
      ["---", "---", ...heads().map(() => "---:")],
      ...lines().map(line => {
        const {case: one, variant} = rowOf(line);
        return [one.id, variant.name, ...chosen().map(column => shown(line, column))].map(plain);
      }),
    ];
    return `${plain(`${title()}, run ${data.run}`)}\n\n${table.map(row => `| ${row.join(" | ")} |\n`).join("")}`;
  };

  // A spreadsheet runs a text that begins like a formula; numbers are no texts.
  const quoted = value => {
    if (typeof value === "number") return String(value);
    if (value === null) return "";
    const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const csv = () => {
    const table = lines().map(line => {
      const row = rowOf(line);
      const fields = chosen().flatMap(column => rangeOf(row, column) ?? [shown(line, column).replace(SPACES, " "), null, null]);
      return [title(), row.case.id, row.variant.name, ...fields];
    });
    const bounded = heads().flatMap(id => [id, `${id} low`, `${id} high`]);
    return [["value", "case", "variant", ...bounded], ...table].map(row => `${row.map(quoted).join(",")}\r\n`).join("");
  };

  const dialog = document.body.appendChild(document.createElement("dialog"));
  dialog.className = "copied";
  dialog.setAttribute("aria-label", "Text to copy");
  const area = dialog.appendChild(document.createElement("textarea"));
  area.readOnly = true;
  area.setAttribute("aria-label", "Text to copy");
  const close = dialog.appendChild(document.createElement("button"));
  close.textContent = "Close";
  close.addEventListener("click", () => dialog.close());

  const copy = async (what, text) => {
    try {
      await navigator.clipboard.writeText(text);
      say(`Copied ${what}.`);
    } catch {
      area.value = text;
      dialog.showModal();
      area.select();
      say(`The browser denies the clipboard: copy ${what} from the dialog.`);
    }
  };
  const MAKE = {link: ["the link", () => location.href], markdown: ["Markdown", markdown], csv: ["CSV", csv]};
  for (const [name, [what, make]] of Object.entries(MAKE)) {
    toolbar.elements[name].addEventListener("click", () => copy(what, make()));
  }
}
