// The texts of the page whose contrast with their ground is under WCAG's AA: 4.5,
// or 3 for large ones. Evaluates to one line each.
(() => {
  const parse = (c) => {
    const m = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(c);
    return m && { rgb: [m[1], m[2], m[3]].map(Number), alpha: m[4] === undefined ? 1 : Number(m[4]) };
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (el) => {
    for (; el; el = el.parentElement) {
      const c = parse(getComputedStyle(el).backgroundColor);
      if (c && c.alpha === 1) return c.rgb;
    }
    return [255, 255, 255];
  };
  const faint = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const el = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !el.checkVisibility() || el.closest("svg, :disabled, .hidden, .skip, select, noscript")) continue;
    const style = getComputedStyle(el);
    const colour = parse(style.color);
    if (!colour) continue;
    const [high, low] = [luminance(colour.rgb), luminance(ground(el))].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5)) faint.add(`${ratio.toFixed(2)} ${el.className} ${texts.currentNode.data.trim().slice(0, 30)}`);
  }
  return [...faint].join("\n");
})()
