// The columns of tables whose numbers have not all the same number of decimals.
// Numbers with different units, or with other text around them, may differ, and so may the values of a
// spec, which are as they were given: a click on them filters. The tables behind pictures have no headings:
// they repeat what is read at the pointer, in significant digits.
// Evaluates to one line each.
(() => {
  const decimals = (text) => [...text.matchAll(/\d[\d,]*(?:\.(\d+))?/g)].map((m) => (m[1] ?? "").length).join();
  const wrong = [];
  for (const table of document.querySelectorAll("table")) {
    const rows = [...table.querySelectorAll("tbody tr:not(.group)")];
    [...(table.tHead?.rows[0]?.cells ?? [])].forEach((head, column) => {
      const forms = new Map(); // by the text around the numbers: their decimals, and a cell that has them
      for (const row of rows) {
        const cell = row.cells[column];
        const text = cell?.innerText.trim() ?? "";
        const isNumber = cell?.classList.contains("right") || /^[−-]?\d[\d,]*(\.\d+)?$/.test(text);
        if (!cell || !isNumber || cell.colSpan > 1 || cell.querySelector("a.value")) continue;
        const around = text.replace(/\d[\d,]*(\.\d+)?/g, "#").replaceAll("−", "");
        const before = forms.get(around);
        if (!before) forms.set(around, text);
        else if (decimals(before) !== decimals(text)) {
          wrong.push(`${table.getAttribute("aria-label")}, ${head.innerText.trim()}: ${before} and ${text}`);
          break;
        }
      }
    });
  }
  return wrong.join("\n");
})()
