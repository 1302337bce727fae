// From now on window.cut lists the texts that canvases draw beyond their edges, and window.written counts all texts.
(() => {
  window.cut = [];
  window.written = 0;
  const fill = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
    window.written++;
    const wide = this.measureText(text);
    for (const side of [x - wide.actualBoundingBoxLeft, x + wide.actualBoundingBoxRight]) {
      const at = this.getTransform().transformPoint({ x: side, y });
      if (at.x < 0 || at.x > this.canvas.width) window.cut.push(`${text} at ${at.x} of ${this.canvas.width}`);
    }
    fill.call(this, text, x, y, ...rest);
  };
})()
