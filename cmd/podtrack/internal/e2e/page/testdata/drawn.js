// Whether there are pictures of options in sight, in the window and in their list, all of them drawn.
(() => {
  const list = document.querySelector(".options");
  const { top, bottom } = list.getBoundingClientRect();
  const seen = [...list.querySelectorAll("canvas")].filter((canvas) => {
    const at = canvas.getBoundingClientRect();
    return at.top >= Math.max(top, 0) && at.bottom <= Math.min(bottom, innerHeight);
  });
  return seen.length > 0 && seen.every((canvas) => canvas.dataset.drawn !== undefined);
})()
