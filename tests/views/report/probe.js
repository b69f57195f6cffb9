// Uses the page as a reader would, and writes what it finds into the page.
{
  const root = document.documentElement;
  const visible = (selector) => [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility());
  const type = (words) => {
    const field = document.getElementById("search");
    field.value = words;
    field.dispatchEvent(new Event("input"));
  };
  for (const each of document.querySelectorAll("article")) each.style.contentVisibility = "visible";
  const found = { width: root.clientWidth, over: root.scrollWidth - root.clientWidth };
  type("kmeans");
  found.searched = visible("article h3").map((each) => each.textContent);
  found.hits = document.getElementById("hits").textContent;
  type("");
  found.articles = visible("article").length;
  const article = document.querySelector("article"), table = article.querySelector("table");
  table.querySelector("thead button").click();
  table.querySelector("thead button").click();
  found.sorted = [...table.tBodies[0].rows].map((row) => row.cells[0].textContent);
  article.querySelector(".legend input").click();
  found.heads = [...table.tHead.rows[0].cells].filter((each) => !each.hidden).map((each) => each.textContent);
  const curves = [...article.querySelectorAll("g[data-name]")].filter((each) => each.style.display !== "none");
  found.curves = curves.map((each) => each.dataset.name);
  const dot = [...curves[0].querySelectorAll(".ours[data-tip]")].at(-1);
  dot.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
  found.tip = document.querySelector(".tip").textContent;
  const result = document.createElement("pre");
  result.id = "found";
  result.textContent = JSON.stringify(found);
  document.body.append(result);
}
