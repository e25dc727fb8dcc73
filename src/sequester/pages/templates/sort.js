"use strict";
// A click on a heading sorts a table by that column, words typed above it hide the other lines.
for (const table of document.querySelectorAll("table.sort")) {
  const body = table.tBodies[0], rows = [...body.rows], heads = [...table.tHead.rows[0].cells];
  const value = (row, at) => {
    const text = row.cells[at].textContent.trim(), number = parseFloat(text.replaceAll(",", "").replace(/^>\s*/, ""));
    return Number.isNaN(number) ? text.toLowerCase() : number;
  };
  const before = (a, b) => typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1;
  heads.forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      rows.sort((a, b) => (up ? 1 : -1) * before(value(a, at), value(b, at)));
      body.append(...rows);
    });
  });
  const label = document.createElement("label"), field = document.createElement("input");
  field.type = "search";
  label.className = "filter";
  label.append(table.dataset.filter + " ", field);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(words);
  });
  table.parentNode.before(label);
}
