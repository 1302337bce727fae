// What a screen reader could not name: controls without a label, tables and
// pictures without a name. What is within a picture is part of it.
// Evaluates to one line each.
(() => {
  const named = (el) => el.getAttribute("aria-label") || el.getAttribute("aria-labelledby") || el.labels?.length || el.textContent.trim() || el.title;
  const all = [...document.querySelectorAll("button, a, input, select, table, canvas, svg, [role=img]")];
  const wrong = all.filter((el) => !el.closest("[aria-hidden=true], [role=img] *") && !named(el));
  const tables = all.filter((el) => el.tagName === "TABLE" && !el.closest("[role=img] *") && !el.getAttribute("aria-label"));
  return [...wrong, ...tables].map((el) => el.outerHTML.slice(0, 120)).join("\n");
})()
