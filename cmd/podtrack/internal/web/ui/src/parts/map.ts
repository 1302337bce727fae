import { colour } from "../theme";

// States drawn on a plane: in colour, with what an option does in each. Those of a
// grid are cells with walls around, those of a layout dots that edges join.

/** Plan is where states lie. */
export interface Plan {
  rows: number;
  columns: number;
  cells: [number, number][]; // row and column, by state; a layout or a part of a ring has not all states
  headings: [number, number][]; // rows downwards and columns to the right, by action
  start: number;
  goal: number; // −1 for none
  edges?: [number, number][]; // of a layout
  next?: (state: number, action: number) => number; // where an action leads, if headings do not say so; −1 if unknown
  name?: (state: number) => string;
}

export interface Drawing {
  shade: (state: number) => number; // from −1 to 1: the colour's strength, and which one
  policy?: Int8Array;
  path?: number[]; // states
  outlined?: (state: number) => boolean;
  marked?: number | null;
  pointed?: number | null;
}

/** place is how people write a state: rROWcCOLUMN of a grid. */
export const place = (plan: Plan, state: number) => plan.name?.(state) ?? `r${plan.cells[state]![0]}c${plan.cells[state]![1]}`;

/** spoken is a state with its place, for readouts. */
export const spoken = (plan: Plan, state: number) => (plan.name ? `state ${plan.name(state)}` : `${place(plan, state)}, state ${state}`);

/** shades of values make the largest of them 1 in size. */
export function shades(values: Float64Array): (state: number) => number {
  const most = values.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  return (state) => (most > 0 ? values[state]! / most : 0);
}

/** finder says which state is in a row and a column, undefined where there is none. */
export function finder(plan: Plan): (row: number, column: number) => number | undefined {
  if (plan.edges) return (r, c) => nearest(plan, r - 0.5, c - 0.5);
  const found = new Map<number, number>();
  plan.cells.forEach(([r, c], state) => found.set(r * plan.columns + c, state));
  return (r, c) => (c < 0 || c >= plan.columns ? undefined : found.get(Math.floor(r) * plan.columns + Math.floor(c)));
}

/** nearest is the state of a layout within a cell's width. */
function nearest(plan: Plan, row: number, column: number): number | undefined {
  let [found, least] = [undefined as number | undefined, 1];
  plan.cells.forEach(([r, c], state) => {
    const distance = Math.hypot(r - row, c - column);
    if (distance < least) [found, least] = [state, distance];
  });
  return found;
}

const largest = 9; // pixels of a dot's radius
const bold = 0.5; // of the strength, from which on the ground is dark in the light and light in the dark

/** paint draws a map into a canvas whose pixels are cell wide each. */
export function paint(ctx: CanvasRenderingContext2D, plan: Plan, cell: number, d: Drawing): void {
  const hues = { rest: colour("panel"), plus: colour("plus"), minus: colour("minus"), wall: colour("wall"), text: colour("text"), on: colour("on-accent"), soft: colour("soft"), path: colour("series-1") };
  ctx.fillStyle = plan.edges ? hues.rest : hues.wall;
  ctx.fillRect(0, 0, plan.columns * cell, plan.rows * cell);
  if (plan.edges) join(ctx, plan, cell, hues.wall);
  plan.cells.forEach(([r, c], s) => {
    const share = Math.max(-1, Math.min(1, d.shade(s)));
    const fill = (hue: string, alpha: number) => {
      ctx.fillStyle = hue;
      ctx.globalAlpha = alpha;
      if (plan.edges) disc(ctx, plan, cell, s);
      else ctx.fillRect(c * cell, r * cell, cell, cell);
    };
    fill(plan.edges ? hues.wall : hues.rest, 1);
    fill(share < 0 ? hues.minus : hues.plus, 0.92 * Math.abs(share));
    ctx.globalAlpha = 1;
    if (d.policy && cell >= 5) act(ctx, plan, cell, s, d.policy[s]!, Math.abs(share) > bold ? hues.on : hues.text, hues.soft);
  });
  if (d.path && d.path.length > 1) trail(ctx, plan, cell, d.path, hues.path);
  if (d.outlined) plan.cells.forEach((_, s) => d.outlined!(s) && outline(ctx, plan, cell, s, hues.text, cell < 8 ? 0.5 : 1.5));
  outline(ctx, plan, cell, d.marked, hues.path);
  outline(ctx, plan, cell, d.pointed, hues.text);
}

/** join draws the edges of a layout. */
function join(ctx: CanvasRenderingContext2D, plan: Plan, cell: number, hue: string): void {
  ctx.strokeStyle = hue;
  ctx.lineWidth = Math.max(0.5, Math.min(2, cell / 12));
  ctx.beginPath();
  for (const [a, b] of plan.edges!) {
    ctx.moveTo(...middle(plan, cell, a));
    ctx.lineTo(...middle(plan, cell, b));
  }
  ctx.stroke();
}

function disc(ctx: CanvasRenderingContext2D, plan: Plan, cell: number, state: number): void {
  ctx.beginPath();
  ctx.arc(...middle(plan, cell, state), Math.min(0.45 * cell, largest), 0, 2 * Math.PI);
  ctx.fill();
}

/** middle is where a state's cell has its middle, in pixels. */
const middle = (plan: Plan, cell: number, s: number): [number, number] => [(plan.cells[s]![1] + 0.5) * cell, (plan.cells[s]![0] + 0.5) * cell];

/** heading is the direction of an action in a state, of length 1; 0 if it leads nowhere. */
function heading(plan: Plan, state: number, action: number): [number, number] {
  const to = plan.next ? plan.next(state, action) : -1;
  if (!plan.next) return plan.headings[action]!;
  if (!plan.cells[to] || to === state) return [0, 0];
  const [dy, dx] = [plan.cells[to]![0] - plan.cells[state]![0], plan.cells[to]![1] - plan.cells[state]![1]];
  const length = Math.hypot(dy, dx) || 1;
  return [dy / length, dx / length];
}

/** act draws an arrow where the option leads, or a dot where it ends. */
function act(ctx: CanvasRenderingContext2D, plan: Plan, cell: number, state: number, action: number, ink: string, soft: string): void {
  const [x, y] = middle(plan, cell, state);
  if (plan.edges) cell = Math.min(cell, 2 * largest);
  if (action < 0) {
    ctx.fillStyle = soft;
    ctx.beginPath();
    ctx.arc(x, y, Math.max(0.8, cell / 10), 0, 2 * Math.PI);
    ctx.fill();
    return;
  }
  const [dy, dx] = heading(plan, state, action);
  const at = (along: number, aside: number): [number, number] => [x + cell * (along * dx - aside * dy), y + cell * (along * dy + aside * dx)];
  ctx.strokeStyle = ink;
  ctx.lineWidth = Math.max(1, cell / 15);
  ctx.beginPath();
  ctx.moveTo(...at(-0.3, 0));
  ctx.lineTo(...at(0.3, 0));
  ctx.moveTo(...at(0.08, -0.18));
  ctx.lineTo(...at(0.3, 0));
  ctx.lineTo(...at(0.08, 0.18));
  ctx.stroke();
}

function trail(ctx: CanvasRenderingContext2D, plan: Plan, cell: number, path: number[], ink: string): void {
  const at = (s: number) => middle(plan, cell, s);
  path = path.filter((s) => plan.cells[s]);
  if (path.length < 2) return;
  ctx.strokeStyle = ctx.fillStyle = ink;
  ctx.lineWidth = Math.max(1.5, cell / 9);
  ctx.lineJoin = "round";
  ctx.beginPath();
  path.forEach((s) => ctx.lineTo(...at(s)));
  ctx.stroke();
  ctx.beginPath();
  ctx.arc(...at(path.at(-1)!), Math.max(2, cell / 4.5), 0, 2 * Math.PI);
  ctx.fill();
}

function outline(ctx: CanvasRenderingContext2D, plan: Plan, cell: number, state: number | null | undefined, ink: string, least = 1.5): void {
  if (state === null || state === undefined || !plan.cells[state]) return;
  const [r, c] = plan.cells[state]!;
  ctx.strokeStyle = ink;
  ctx.lineWidth = Math.max(least, cell / 14);
  if (plan.edges) {
    ctx.beginPath();
    ctx.arc(...middle(plan, cell, state), Math.min(0.6 * cell, 1.5 * largest), 0, 2 * Math.PI);
    ctx.stroke();
    return;
  }
  ctx.strokeRect(c * cell + ctx.lineWidth / 2, r * cell + ctx.lineWidth / 2, cell - ctx.lineWidth, cell - ctx.lineWidth);
}
