import type { TargetedKeyboardEvent } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { colour, useTheme } from "../theme";
import type { Dendrogram } from "../types-compare";
import { Numbers, some } from "./numbers";

interface Matrix {
  label: string;
  rows: string[];
  columns: string[];
  at: (row: number, column: number) => number | null | undefined; // null: not defined; undefined: no such cell
  axes?: [string, string]; // what rows and columns are
  text?: (row: number, column: number) => string; // written into the cells, if there is room
  low: number; // without colour
  high: number; // in full colour
  ramp: [string, string]; // what low and high are called
  tell: (row: number, column: number) => string;
  marked?: (row: number, column: number) => boolean;
  onOpen?: (row: number, column: number) => void;
  tree?: Dendrogram; // of the rows, which are in the order of its leaves
  above?: Dendrogram; // of the columns
}

/** Frame is where the cells are, in pixels: behind the names of rows, below those of columns. */
interface Frame {
  cell: number;
  wide: number;
  left: number;
  top: number;
}

const letter = 6.6; // pixels of a letter of names, about

function frameOf({ rows, columns, text, axes }: Matrix): Frame {
  const side = (count: number) => Math.max(5, Math.min(26, Math.floor(900 / count)));
  const cell = side(rows.length);
  const longest = (names: string[]) => Math.max(0, ...names.map((n) => n.length));
  const wide = text && cell >= 22 ? 56 : side(columns.length);
  return {
    cell,
    wide,
    left: cell >= 11 ? Math.ceil(longest([...rows, axes?.[0] ?? ""]) * letter) + 8 : 0,
    top: (cell >= 22 && longest(columns) * letter <= wide ? 18 : 0) + (axes ? 16 : 0),
  };
}

/**
 * Heat draws a matrix of numbers. The arrows move a cursor, whose cell is described
 * below, and Enter or a click opens it.
 */
export function Heat(props: Matrix) {
  const { rows, columns } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [cursor, point] = useState<[number, number] | null>(null);
  useTheme(); // the colours depend on it
  const frame = frameOf(props);
  const width = frame.left + frame.wide * columns.length;
  const height = frame.top + frame.cell * rows.length;

  useLayoutEffect(() => {
    const el = canvas.current!;
    el.width = width * devicePixelRatio;
    el.height = height * devicePixelRatio;
    const ctx = el.getContext("2d")!;
    ctx.scale(devicePixelRatio, devicePixelRatio);
    names(ctx, props, frame);
    for (let r = 0; r < rows.length; r++) for (let c = 0; c < columns.length; c++) paint(ctx, props, frame, r, c);
    if (cursor) outline(ctx, frame, cursor);
  });

  const under = (event: MouseEvent): [number, number] | null => {
    const box = canvas.current!.getBoundingClientRect();
    const r = Math.floor((event.clientY - box.top - frame.top) / frame.cell);
    const c = Math.floor((event.clientX - box.left - frame.left) / frame.wide);
    return r >= 0 && c >= 0 && r < rows.length && c < columns.length ? [r, c] : null;
  };
  const click = (event: MouseEvent) => {
    const at = under(event);
    if (at) props.onOpen?.(...at);
  };
  const press = (event: TargetedKeyboardEvent<HTMLCanvasElement>) => {
    const [r, c] = cursor ?? [0, 0];
    const moves: Record<string, [number, number]> = { ArrowUp: [r - 1, c], ArrowDown: [r + 1, c], ArrowLeft: [r, c - 1], ArrowRight: [r, c + 1] };
    const to = moves[event.key];
    if (to) point(cursor ? [clamp(to[0], rows.length), clamp(to[1], columns.length)] : [0, 0]);
    else if (event.key === "Enter" && cursor) props.onOpen?.(r, c);
    else return;
    event.preventDefault();
  };

  const [low, high] = props.ramp;
  return (
    <figure class="heat readable">
      <div class="scroll trees" style={{ "--wide": width }}>
        {props.above && <Tree tree={props.above} from={frame.left} step={frame.wide} turn="matrix(0 -1 1 0 0 96)" />}
        <canvas
          ref={canvas}
          tabIndex={0}
          role="application"
          aria-label={`${props.label}; arrows move, Enter opens`}
          style={{ width: `${width}px`, height: `${height}px` }}
          onMouseMove={(e) => point(under(e))}
          onClick={click}
          onKeyDown={press}
        />
        {props.tree && <Tree tree={props.tree} from={frame.top} step={frame.cell} />}
      </div>
      <figcaption>
        <span class="ramp plain">
          {low} <i aria-hidden="true" /> {high}
        </span>
        <span role="status">{cursor ? props.tell(...cursor) : "point at a cell to read it"}</span>
      </figcaption>
      <Numbers of={props.label} told={(r) => some(columns.length).map((c) => props.tell(r, c))} count={rows.length} />
    </figure>
  );
}

const deep = 96; // pixels of a dendrogram

/** Tree draws a dendrogram beside its leaves, or turned above them: a merge is as far from them as it is high. */
function Tree({ tree: { merges, leaves }, from, step, turn }: { tree: Dendrogram; from: number; step: number; turn?: string }) {
  const most = merges.at(-1)?.height || 1;
  const at: [number, number][] = [];
  leaves.forEach((leaf, i) => (at[leaf] = [0, from + (i + 0.5) * step]));
  const path = merges.map(({ a, b, height }) => {
    const [[x1, y1], [x2, y2]] = [at[a]!, at[b]!];
    const x = 1 + ((deep - 4) * height) / most;
    at.push([x, (y1 + y2) / 2]);
    return `M${x1} ${y1}H${x}V${y2}H${x2}`;
  });
  const length = from + step * leaves.length;
  return (
    <svg class={turn ? "tree above" : "tree"} viewBox={turn ? `0 0 ${length} ${deep}` : `0 0 ${deep} ${length}`} width={turn ? length : deep} height={turn ? deep : length} aria-hidden="true">
      <path d={path.join("")} transform={turn} />
    </svg>
  );
}

const clamp = (x: number, n: number) => Math.max(0, Math.min(n - 1, x));

function names(ctx: CanvasRenderingContext2D, m: Matrix, f: Frame): void {
  ctx.fillStyle = colour("soft");
  ctx.font = "11px system-ui, sans-serif";
  ctx.textBaseline = "middle";
  if (f.left) m.rows.forEach((name, r) => ctx.fillText(name, 0, f.top + (r + 0.5) * f.cell, f.left - 4));
  if (m.axes) ctx.fillText(m.axes[0], 0, f.top - 10);
  if (m.axes) ctx.fillText(m.axes[1], f.left, 7);
  ctx.textAlign = "center";
  if (f.top > 16) m.columns.forEach((name, c) => ctx.fillText(name, f.left + (c + 0.5) * f.wide, f.top - 9));
}

function paint(ctx: CanvasRenderingContext2D, m: Matrix, f: Frame, r: number, c: number): void {
  const x = m.at(r, c);
  if (x === undefined) return;
  const gap = Math.min(f.cell, f.wide) > 8 ? 1 : 0;
  const side = f.cell - gap;
  const [left, top] = [f.left + c * f.wide, f.top + r * f.cell];
  ctx.fillStyle = colour(x === null ? "rest" : "panel");
  ctx.fillRect(left, top, f.wide - gap, side);
  if (x === null) return;
  ctx.strokeStyle = colour("line");
  if (gap) ctx.strokeRect(left + 0.5, top + 0.5, f.wide - gap - 1, side - 1);
  const share = Math.max(0, Math.min(1, (x - m.low) / (m.high - m.low || 1)));
  ctx.globalAlpha = share;
  ctx.fillStyle = colour("plus");
  ctx.fillRect(left, top, f.wide - gap, side);
  ctx.globalAlpha = 1;
  if (m.text && f.wide > f.cell) {
    ctx.fillStyle = colour(share > 0.5 ? "on-accent" : "text");
    ctx.fillText(m.text(r, c), left + f.wide / 2, top + f.cell / 2);
  }
  if (!m.marked?.(r, c)) return;
  const half = Math.min(side, f.wide) / 2 - 2;
  ctx.fillStyle = colour("panel");
  ctx.fillRect(left + half, top + side / 2 - 2, 4, 4);
}

function outline(ctx: CanvasRenderingContext2D, f: Frame, [r, c]: [number, number]): void {
  ctx.strokeStyle = colour("text");
  ctx.lineWidth = 2;
  ctx.strokeRect(f.left + c * f.wide + 1, f.top + r * f.cell + 1, f.wide - 2, f.cell - 2);
}
