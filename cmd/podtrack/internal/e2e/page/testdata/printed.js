// What is wrong with the page as it is printed, one line each: canvases that are empty or wider than the paper, more
// than half a page without anything drawn, and tables that are much wider than the paper.
(() => {
  const main = document.querySelector("main").getBoundingClientRect();
  const wrong = [];
  const drawn = [];
  const draw = (box) => box.width && drawn.push([box.top, box.bottom]);
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    if (texts.currentNode.data.trim()) for (const box of range.getClientRects()) draw(box);
  }
  for (const el of document.querySelectorAll("main :is(canvas, svg, img)")) {
    const box = el.getBoundingClientRect();
    draw(box);
    if (el.tagName !== "CANVAS" || !box.width) continue;
    const called = el.ariaLabel ?? el.closest("[aria-label]")?.ariaLabel;
    if (box.right > main.right + 1) wrong.push(`"${called}" ends ${Math.round(box.right - main.right)} pixels beyond the paper`);
    const pixels = el.getContext("2d").getImageData(0, 0, el.width, el.height).data;
    if (!pixels.some((x) => x)) wrong.push(`the canvas of "${called}" is empty`);
  }
  const shrunk = innerWidth / document.documentElement.scrollWidth; // as browsers do with what is too wide
  if (shrunk < 0.75) wrong.push(`the page is shrunk to ${shrunk}`);
  let end = main.top;
  for (const [top, bottom] of [...drawn.sort(([a], [b]) => a - b), [main.bottom, main.bottom]]) {
    if (top - end > innerHeight / 2) wrong.push(`${Math.round(top - end)} pixels are empty, from ${Math.round(end - main.top)} on`);
    end = Math.max(end, bottom);
  }
  return wrong.join("\n");
})()
