import { actionColours, colour } from "../theme";

// A value and a policy over the states, drawn into the pixels that there are: the
// range and the mean of the values of a pixel's states, and the shares of their
// actions.

export interface Table {
  value: Float64Array;
  policy: Int8Array; // an action's number, −1 where the option ends
}

/** tally counts the policy's choices in states from…to−1: by action, the last one for none. */
export function tally(policy: Int8Array, from: number, to: number, actions: number): number[] {
  const counts = new Array<number>(actions + 1).fill(0);
  for (let s = from; s < to; s++) {
    const a = policy[s]!;
    counts[a < 0 ? actions : a]!++;
  }
  return counts;
}

/** strip draws the policy as one line of colours. */
export function strip(ctx: CanvasRenderingContext2D, box: DOMRect, policy: Int8Array, range: [number, number], actions: number): void {
  const colours = [...actionColours(), colour("rest")];
  const perPixel = (range[1] - range[0]) / box.width;
  for (let x = 0; x < box.width; x++) {
    const from = Math.max(0, Math.floor(range[0] + x * perPixel));
    const to = Math.min(policy.length, Math.max(from + 1, Math.floor(range[0] + (x + 1) * perPixel)));
    if (to <= from) continue;
    const counts = tally(policy, from, to, actions);
    let y = box.y;
    counts.forEach((n, action) => {
      const height = (box.height * n) / (to - from);
      ctx.fillStyle = action === actions ? colours.at(-1)! : colours[action % 6]!;
      ctx.fillRect(box.x + x, y, 1, height);
      y += height;
    });
  }
}

/** curve draws the values between 0 and most: the mean of a pixel's states, in the range of them all. */
export function curve(ctx: CanvasRenderingContext2D, box: DOMRect, value: Float64Array, most: number): void {
  ctx.fillStyle = colour("accent");
  const height = (v: number) => (most > 0 ? (box.height * v) / most : 0);
  for (let x = 0; x < box.width; x++) {
    const from = Math.floor((x * value.length) / box.width);
    const to = Math.max(from + 1, Math.floor(((x + 1) * value.length) / box.width));
    const states = value.subarray(from, to);
    const low = states.reduce((a, b) => Math.min(a, b));
    const high = states.reduce((a, b) => Math.max(a, b));
    const mean = states.reduce((a, b) => a + b, 0) / states.length;
    const floor = box.y + box.height;
    ctx.globalAlpha = 0.22;
    ctx.fillRect(box.x + x, floor - height(low), 1, height(low));
    ctx.globalAlpha = 0.45;
    ctx.fillRect(box.x + x, floor - height(high), 1, height(high) - height(low));
    ctx.globalAlpha = 1;
    ctx.fillRect(box.x + x, floor - height(mean), 1, 1.5);
  }
}
