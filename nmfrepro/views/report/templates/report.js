"use strict";
// Sorting: a heading becomes a button; cells sort by data-value where there is one, else by their text.
for (const heading of document.querySelectorAll("table.sorts thead th")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...heading.childNodes);
  button.title = "Sort by this column";
  heading.append(button);
  button.addEventListener("click", () => sortBy(heading));
}

function sortBy(heading) {
  const table = heading.closest("table"), body = table.tBodies[0];
  const index = heading.cellIndex;
  const down = heading.getAttribute("aria-sort") === "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  const rows = [...body.rows].map((row) => {
    const cell = row.cells[index];
    return { row, value: cell.dataset.value, text: cell.textContent.trim() };
  });
  rows.sort((a, b) => {
    if (a.value !== undefined && b.value !== undefined) {
      if (a.value === "" || b.value === "") return (a.value === "") - (b.value === ""); // nothing comes last
      return (a.value - b.value) * (down ? -1 : 1);
    }
    return a.text.localeCompare(b.text, undefined, { numeric: true }) * (down ? -1 : 1);
  });
  body.append(...rows.map((each) => each.row));
}

const tools = document.getElementById("tools");
if (tools) {
  tools.hidden = false;
  tools.querySelector("button").addEventListener("click", (event) => {
    const all = [...document.querySelectorAll("details")], open = all.some((each) => !each.open);
    for (const each of all) each.open = open;
    event.target.textContent = open ? "Close all details" : "Open all details";
  });
}
