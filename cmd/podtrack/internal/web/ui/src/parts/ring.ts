import { actionColours, colour } from "../theme";

// Weights, values and a policy over features or states, drawn into the pixels that
// there are: the range and the mean of a pixel's numbers, and the shares of actions.

export interface Table {
  value: Float64Array;
  policy: Int8Array; // an action's number, −1 where the option ends
}

/** tally counts the policy's choices in states from…to−1: by action, the last one for none. */
function tally(policy: Int8Array, from: number, to: number, actions: number): number[] {
  const counts = new Array<number>(actions + 1).fill(0);
  for (let s = from; s < to; s++) {
    const a = policy[s]!;
    if (a < 0) counts[actions]!++;
    else if (a < actions) counts[a]!++;
  }
  return counts;
}

/** strip draws the policy as one line of colours, or without actions where it ends, in the colour of text. */
export function strip(ctx: CanvasRenderingContext2D, box: DOMRect, policy: Int8Array, range: [number, number], actions: number): void {
  const colours = actions ? [...actionColours().slice(0, 6), colour("rest")] : [colour("rest"), colour("text")];
  const perPixel = (range[1] - range[0]) / box.width;
  for (let x = 0; x < box.width; x++) {
    const from = Math.max(0, Math.floor(range[0] + x * perPixel));
    const to = Math.min(policy.length, Math.max(from + 1, Math.floor(range[0] + (x + 1) * perPixel)));
    if (to <= from) continue;
    const counts = tally(policy, from, to, actions);
    if (!actions) counts.unshift(to - from - counts[0]!);
    let y = box.y;
    counts.forEach((n, action) => {
      const height = (box.height * n) / (to - from);
      ctx.fillStyle = action === counts.length - 1 ? colours.at(-1)! : colours[action % 6]!;
      ctx.fillRect(box.x + x, y, 1, height);
      y += height;
    });
  }
}

/** bars draws signed numbers from a line at 0, blue above and vermilion below: of several in a pixel their range, and in full colour their mean. */
export function bars(ctx: CanvasRenderingContext2D, box: DOMRect, numbers: ArrayLike<number>, [first, last]: [number, number], y: (value: number) => number): void {
  const perPixel = (last - first) / box.width;
  const [plus, minus] = [colour("plus"), colour("minus")];
  const zero = y(0);
  const fill = (x: number, value: number, alpha: number) => {
    ctx.globalAlpha = alpha;
    ctx.fillStyle = value < 0 ? minus : plus;
    ctx.fillRect(box.x + x, Math.min(zero, y(value)), 1, Math.abs(y(value) - zero));
  };
  for (let x = 0; x < box.width; x++) {
    const from = Math.max(0, Math.floor(first + x * perPixel));
    const to = Math.min(numbers.length, Math.max(from + 1, Math.floor(first + (x + 1) * perPixel)));
    let [low, high, sum] = [0, 0, 0];
    for (let i = from; i < to; i++) [low, high, sum] = [Math.min(low, numbers[i]!), Math.max(high, numbers[i]!), sum + numbers[i]!];
    if (to - from > 1) [low, high].map((v) => fill(x, v, 0.35));
    if (to > from) fill(x, sum / (to - from), 1);
  }
  ctx.globalAlpha = 1;
}

/** weights draws a purpose: a bar for each feature, as high as there is room for the largest. */
export function weights(ctx: CanvasRenderingContext2D, box: DOMRect, vector: number[]): void {
  const most = vector.reduce((a, b) => Math.max(a, Math.abs(b)), 0) || 1;
  const middle = Math.round(box.y + box.height / 2);
  bars(ctx, box, vector, [0, vector.length], (v) => middle - Math.round((v / most) * (box.height / 2)));
  ctx.fillStyle = colour("soft");
  ctx.fillRect(box.x, middle, box.width, 1);
}
