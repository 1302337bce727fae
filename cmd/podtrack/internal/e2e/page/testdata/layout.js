// What is wrong with how the page is laid out, one line each, whatever fonts there are: charts without marks, texts on
// top of each other, and texts that leave what they stand in.
(() => {
  const wrong = [];
  const say = (el) => (el.ariaLabel ?? el.closest("[aria-label]")?.ariaLabel ?? el.closest("section")?.id ?? el.className).slice(0, 60);
  const isSeen = (el) => el.checkVisibility({ visibilityProperty: true, opacityProperty: true });

  // marks returns whether something is drawn in the area of a chart: in a plot with axes, in colour, which its grid
  // and axes are not.
  const marks = (canvas) => {
    const over = canvas.parentElement.querySelector(":scope > .u-over");
    const whole = canvas.getBoundingClientRect();
    const area = (over ?? canvas).getBoundingClientRect();
    const scale = canvas.width / whole.width;
    const [wide, high] = [Math.max(1, Math.round(area.width * scale)), Math.max(1, Math.round(area.height * scale))];
    const copy = new OffscreenCanvas(wide, high).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, (whole.left - area.left) * scale, (whole.top - area.top) * scale);
    const { data } = copy.getImageData(0, 0, wide, high);
    for (let i = 0; i < data.length; i += 4) {
      if (!over && (data[i] !== data[0] || data[i + 1] !== data[1] || data[i + 2] !== data[2] || data[i + 3] !== data[3])) return true;
      const [high, low] = [Math.max(data[i], data[i + 1], data[i + 2]), Math.min(data[i], data[i + 1], data[i + 2])];
      if (over && data[i + 3] > 64 && high - low > 48) return true;
    }
    return false;
  };
  for (const el of document.querySelectorAll("main :is(canvas, svg[role=img], [role=img] > :is(svg, img))")) {
    if (!el.checkVisibility()) continue; // folded away
    const { width, height } = el.getBoundingClientRect();
    if (width < 1 || height < 1) wrong.push(`"${say(el)}" is ${width} × ${height} pixels`);
    else if (!isSeen(el)) wrong.push(`"${say(el)}" is hidden`);
    else if (el.tagName === "IMG") {
      if (!el.naturalWidth) wrong.push(`"${say(el)}" is no picture`);
    } else if (el.tagName === "CANVAS") {
      const isLater = el.classList.contains("small") && el.dataset.drawn === undefined; // it is drawn once it is in sight
      if (!isLater && !marks(el)) wrong.push(`"${say(el)}" has no marks`);
    } else if (![...el.querySelectorAll(height < 24 ? "*" : "path, rect, circle, line, polyline, polygon")].some((mark) => { // or labels of an axis
      const box = mark.getBoundingClientRect();
      return box.width + box.height > 1;
    })) wrong.push(`"${say(el)}" has no marks`);
  }

  // The lines of all texts, cut to what scrolls or hides them.
  const lines = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const el = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !isSeen(el) || el.closest("svg, option, noscript, .skip, .hidden")) continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    let [left, right, top, bottom] = [-Infinity, Infinity, -Infinity, Infinity];
    let edge; // of the nearest box that the text is to stand in
    for (let at = el; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      const box = at.getBoundingClientRect();
      if (style.overflowX !== "visible" && style.display !== "inline") {
        [left, right, top, bottom] = [Math.max(left, box.left), Math.min(right, box.right), Math.max(top, box.top), Math.min(bottom, box.bottom)];
        edge ??= { left: -Infinity, right: Infinity };
      }
      if (at.matches("section, button, td, th, figure, main, header, footer")) edge ??= box;
    }
    for (const box of range.getClientRects()) {
      if (edge && box.width && (box.right > edge.right + 2 || box.left < edge.left - 2)) {
        wrong.push(`"${texts.currentNode.data.trim().slice(0, 40)}" leaves its ${el.closest("section, button, td, th, figure, main, header, footer").tagName.toLowerCase()}`);
      }
      const seen = { el, left: Math.max(box.left, left), right: Math.min(box.right, right), top: Math.max(box.top, top), bottom: Math.min(box.bottom, bottom) };
      if (seen.right - seen.left > 1 && seen.bottom - seen.top > 1) lines.push({ ...seen, text: texts.currentNode.data.trim().slice(0, 30) });
    }
  }
  lines.sort((a, b) => a.top - b.top);
  let open = [];
  for (const line of lines) {
    open = open.filter((other) => other.bottom > line.top);
    for (const other of open) {
      const [wide, high] = [Math.min(line.right, other.right) - Math.max(line.left, other.left), Math.min(line.bottom, other.bottom) - line.top];
      const low = Math.min(line.bottom - line.top, other.bottom - other.top);
      if (other.el !== line.el && wide > 2 && high > low / 2 && !isAbove(line.el) && !isAbove(other.el)) wrong.push(`"${line.text}" is on "${other.text}"`);
    }
    open.push(line);
  }
  // isAbove returns whether something floats above the page, as a menu does.
  function isAbove(el) {
    for (; el; el = el.parentElement) if (["fixed", "sticky", "absolute"].includes(getComputedStyle(el).position)) return true;
    return false;
  }
  return [...new Set(wrong)].slice(0, 20).join("\n");
})()
