"use strict";
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const make = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

// Sorting: a heading becomes a button; cells sort by data-value where there is one, else by their text.
for (const heading of all("table.sorts thead th")) {
  const button = make("button", { type: "button", title: "Sort by this column" }, ...heading.childNodes);
  heading.append(button);
  button.addEventListener("click", () => sortBy(heading));
}

function sortBy(heading) {
  const table = heading.closest("table"), body = table.tBodies[0], index = heading.cellIndex;
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

// Search: what has none of the words is hidden, and so is what holds nothing else.
const search = document.getElementById("search");
if (search) {
  search.hidden = false;
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const each of all("[data-words]")) {
      const text = each.dataset.words.toLowerCase();
      each.hidden = !words.every((word) => text.includes(word));
    }
    for (const each of all("section.paper, .contents > li")) each.hidden = !each.querySelector("[data-words]:not([hidden])");
    const items = all("article[data-words]"), shown = items.filter((each) => !each.hidden);
    document.getElementById("hits").textContent = words.length ? `${shown.length} of ${items.length}` : "";
  });
}

// Choice: boxes for the methods, and for the other columns, of the tables and charts of one place.
for (const place of all("[data-choose]")) {
  const part = document.getElementById(place.dataset.choose), methods = all(".legend li", place);
  for (const item of methods) {
    item.replaceChildren(make("label", {}, box(part, item.dataset.name), ...item.childNodes));
    for (const [happened, lit] of [["pointerenter", true], ["pointerleave", false]]) {
      item.addEventListener(happened, () => {
        for (const curve of all("g[data-name]", part)) curve.classList.toggle("dim", lit && curve.dataset.name !== item.dataset.name);
      });
    }
  }
  const known = new Set(methods.map((item) => item.dataset.name));
  const heads = all("table.sorts thead th:not(:first-child)", part).map((head) => head.textContent.trim());
  const others = [...new Set(heads)].filter((name) => !known.has(name));
  if (others.length > 1) {
    const boxes = others.map((name) => make("label", {}, box(part, name), " " + name));
    place.append(make("details", { className: "columns" }, make("summary", {}, "Columns"), make("div", {}, ...boxes)));
  }
}

function box(part, name) {
  const made = make("input", { type: "checkbox", checked: true });
  made.addEventListener("change", () => {
    for (const table of all("table.sorts", part)) {
      [...table.tHead.rows[0].cells].forEach((head, i) => {
        if (i && head.textContent.trim() === name) for (const row of table.rows) row.cells[i].hidden = !made.checked;
      });
    }
    for (const each of all("[data-name]", part)) {
      if (each.dataset.name !== name) continue;
      if (each.matches("th")) each.parentNode.hidden = !made.checked;
      else if (each.matches("g")) each.style.display = made.checked ? "" : "none";
    }
  });
  return made;
}

// A pointer on a point or a claim is told at once what lies there.
const tip = document.body.appendChild(make("div", { className: "tip", hidden: true }));
for (const title of all(".chart title")) {
  title.parentNode.dataset.tip = title.textContent;
  title.remove();
}
for (const cell of all("td[title]")) {
  cell.dataset.tip = cell.title;
  cell.removeAttribute("title");
}
document.addEventListener("pointerover", (event) => {
  const at = event.target.closest("[data-tip]");
  tip.hidden = !at;
  if (!at) return;
  tip.textContent = at.dataset.tip;
  const spot = at.getBoundingClientRect(), own = tip.getBoundingClientRect(), wide = document.documentElement.clientWidth;
  tip.style.left = `${Math.max(4, Math.min(spot.x + spot.width / 2 - own.width / 2, wide - own.width - 4))}px`;
  tip.style.top = `${spot.y > own.height + 12 ? spot.y - own.height - 8 : spot.bottom + 8}px`;
});
document.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true, capture: true });
