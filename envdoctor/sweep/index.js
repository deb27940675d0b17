"use strict";
// Sort the rows by a column: a click on its head sorts, another one turns the order around.
for (const table of document.querySelectorAll("table.sweep")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    head.addEventListener("click", () => {
      const first = head.getAttribute("aria-sort") === null;
      const down = first ? head.dataset.kind === "number" : head.getAttribute("aria-sort") === "ascending";
      const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
      const compare = head.dataset.kind === "number"
        ? (one, other) => Number(value(one)) - Number(value(other))
        : (one, other) => value(one).localeCompare(value(other));
      const rows = [...body.rows].sort(compare);
      body.append(...(down ? rows.reverse() : rows));
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
    });
  });
}
