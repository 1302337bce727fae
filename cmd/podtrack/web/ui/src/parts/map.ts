import { colour } from "../theme";

// A grid drawn: its states in colour, what an option does in each, walls around.

/** Plan is where the states of a grid lie. */
export interface Plan {
  rows: number;
  columns: number;
  cells: [number, number][]; // row and column, by state
  headings: [number, number][]; // rows downwards and columns to the right, by action
  start: number;
  goal: number; // −1 for none
}

export interface Drawing {
  shade: (state: number) => number; // from −1 to 1: the colour's strength, and which one
  policy?: Int8Array;
  path?: number[]; // states
  marked?: number | null;
  pointed?: number | null;
}

/** place is how people write a state of a grid: rROWcCOLUMN. */
export const place = (plan: Plan, state: number) => `r${plan.cells[state]![0]}c${plan.cells[state]![1]}`;

/** shades of values make the largest of them 1 in size. */
export function shades(values: Float64Array): (state: number) => number {
  const most = values.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  return (state) => (most > 0 ? values[state]! / most : 0);
}

/** finder says which state is in a row and a column, undefined where there is wall. */
export function finder(plan: Plan): (row: number, column: number) => number | undefined {
  const found = new Map(plan.cells.map(([r, c], state) => [r * plan.columns + c, state]));
  return (r, c) => (c < 0 || c >= plan.columns ? undefined : found.get(r * plan.columns + c));
}

/** leads says where an action most likely leads: on, or nowhere at a wall. */
export function leads(plan: Plan): (state: number, action: number) => number {
  const at = finder(plan);
  return (state, action) => {
    const [down, right] = plan.headings[action]!;
    const [r, c] = plan.cells[state]!;
    return at(r + down, c + right) ?? state;
  };
}

const bold = 0.5; // of the strength, from which on the ground is dark in the light and light in the dark

/** paint draws a map into a canvas whose pixels are cell wide each. */
export function paint(ctx: CanvasRenderingContext2D, plan: Plan, cell: number, d: Drawing): void {
  const hues = { rest: colour("panel"), plus: colour("plus"), minus: colour("minus"), wall: colour("wall"), text: colour("text"), on: colour("on-accent"), soft: colour("soft"), path: colour("series-1") };
  ctx.fillStyle = hues.wall;
  ctx.fillRect(0, 0, plan.columns * cell, plan.rows * cell);
  plan.cells.forEach(([r, c], s) => {
    const share = Math.max(-1, Math.min(1, d.shade(s)));
    ctx.fillStyle = hues.rest;
    ctx.fillRect(c * cell, r * cell, cell, cell);
    ctx.globalAlpha = 0.92 * Math.abs(share);
    ctx.fillStyle = share < 0 ? hues.minus : hues.plus;
    ctx.fillRect(c * cell, r * cell, cell, cell);
    ctx.globalAlpha = 1;
    if (d.policy && cell >= 5) act(ctx, plan, cell, s, d.policy[s]!, Math.abs(share) > bold ? hues.on : hues.text, hues.soft);
  });
  if (d.path && d.path.length > 1) trail(ctx, plan, cell, d.path, hues.path);
  outline(ctx, plan, cell, d.marked, hues.path);
  outline(ctx, plan, cell, d.pointed, hues.text);
}

/** act draws an arrow where the option leads, or a dot where it ends. */
function act(ctx: CanvasRenderingContext2D, plan: Plan, cell: number, state: number, action: number, ink: string, soft: string): void {
  const [r, c] = plan.cells[state]!;
  const [x, y] = [(c + 0.5) * cell, (r + 0.5) * cell];
  if (action < 0) {
    ctx.fillStyle = soft;
    ctx.beginPath();
    ctx.arc(x, y, Math.max(0.8, cell / 10), 0, 2 * Math.PI);
    ctx.fill();
    return;
  }
  const [dy, dx] = plan.headings[action]!;
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
  const at = (s: number): [number, number] => [(plan.cells[s]![1] + 0.5) * cell, (plan.cells[s]![0] + 0.5) * cell];
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

function outline(ctx: CanvasRenderingContext2D, plan: Plan, cell: number, state: number | null | undefined, ink: string): void {
  if (state === null || state === undefined || !plan.cells[state]) return;
  const [r, c] = plan.cells[state]!;
  ctx.strokeStyle = ink;
  ctx.lineWidth = Math.max(1.5, cell / 14);
  ctx.strokeRect(c * cell + ctx.lineWidth / 2, r * cell + ctx.lineWidth / 2, cell - ctx.lineWidth, cell - ctx.lineWidth);
}
