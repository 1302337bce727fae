import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { none } from "../format";
import { colour, useTheme } from "../theme";

/**
 * Heat draws a matrix of numbers from low to high. The arrows move a cursor, whose
 * cell is told below, and Enter or a click opens it.
 */
export function Heat(props: {
  label: string;
  rows: string[];
  columns: string[];
  at: (row: number, column: number) => number | null | undefined; // undefined: there is no such cell
  low: number;
  high: number;
  tell: (row: number, column: number) => string;
  marked?: (row: number, column: number) => boolean;
  onOpen?: (row: number, column: number) => void;
}) {
  const { rows, columns } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [cursor, point] = useState<[number, number] | null>(null);
  const theme = useTheme();
  const cell = Math.max(5, Math.min(26, Math.floor(900 / Math.max(1, columns.length))));
  const width = cell * columns.length;
  const height = cell * rows.length;

  useEffect(() => {
    const el = canvas.current!;
    el.width = width * devicePixelRatio;
    el.height = height * devicePixelRatio;
    const ctx = el.getContext("2d")!;
    ctx.scale(devicePixelRatio, devicePixelRatio);
    for (let r = 0; r < rows.length; r++) for (let c = 0; c < columns.length; c++) paint(ctx, r, c);
    if (cursor) {
      ctx.strokeStyle = colour("text");
      ctx.lineWidth = 2;
      ctx.strokeRect(cursor[1] * cell + 1, cursor[0] * cell + 1, cell - 2, cell - 2);
    }
  });

  const paint = (ctx: CanvasRenderingContext2D, r: number, c: number) => {
    const x = props.at(r, c);
    if (x === undefined) return;
    const gap = cell > 8 ? 1 : 0;
    ctx.fillStyle = colour("rest");
    ctx.fillRect(c * cell, r * cell, cell - gap, cell - gap);
    if (x === null) return;
    ctx.globalAlpha = Math.max(0, Math.min(1, (x - props.low) / (props.high - props.low || 1)));
    ctx.fillStyle = colour("accent");
    ctx.fillRect(c * cell, r * cell, cell - gap, cell - gap);
    ctx.globalAlpha = 1;
    if (props.marked?.(r, c)) {
      ctx.fillStyle = colour("panel");
      ctx.fillRect(c * cell + cell / 2 - 2, r * cell + cell / 2 - 2, 4, 4);
    }
  };

  const under = (event: MouseEvent): [number, number] => {
    const box = canvas.current!.getBoundingClientRect();
    const clamp = (x: number, n: number) => Math.max(0, Math.min(n - 1, Math.floor(x / cell)));
    return [clamp(event.clientY - box.top, rows.length), clamp(event.clientX - box.left, columns.length)];
  };
  const press = (event: TargetedKeyboardEvent<HTMLCanvasElement>) => {
    const [r, c] = cursor ?? [0, 0];
    const moves: Record<string, [number, number]> = { ArrowUp: [r - 1, c], ArrowDown: [r + 1, c], ArrowLeft: [r, c - 1], ArrowRight: [r, c + 1] };
    const to = moves[event.key];
    if (to) point([Math.max(0, Math.min(rows.length - 1, to[0])), Math.max(0, Math.min(columns.length - 1, to[1]))]);
    else if (event.key === "Enter" && cursor) props.onOpen?.(r, c);
    else return;
    event.preventDefault();
  };

  return (
    <figure class="heat" data-theme={theme.resolved}>
      <div class="scroll">
        <canvas
          ref={canvas}
          tabIndex={0}
          role="application"
          aria-label={`${props.label}; arrows move, Enter opens`}
          style={{ width: `${width}px`, height: `${height}px` }}
          onMouseMove={(e) => point(under(e))}
          onClick={(e) => props.onOpen?.(...under(e))}
          onKeyDown={press}
        />
      </div>
      <figcaption>
        <span class="ramp">
          {props.low} <i aria-hidden="true" /> {props.high}
        </span>
        <span role="status">{cursor ? props.tell(...cursor) : `point at a cell; ${none} is none`}</span>
      </figcaption>
    </figure>
  );
}
