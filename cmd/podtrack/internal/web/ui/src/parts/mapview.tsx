import type { TargetedKeyboardEvent } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useTheme } from "../theme";
import { Numbers } from "./numbers";
import { finder, paint, type Drawing, type Plan } from "./map";

const largest = 44; // pixels of a cell
const least = 4;

/**
 * MapView draws a map as wide as there is room. Pointing at a cell or going there by
 * the arrows tells of it below; a click or Enter chooses it.
 */
export function MapView(props: { plan: Plan; drawing: Drawing; label: string; tell: (state: number) => string; ramp: [string, string, boolean]; onState?: (state: number) => void; tallest?: number }) {
  const { plan, drawing } = props;
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [room, measure] = useState(0);
  const [pointed, point] = useState<number | null>(null);
  useTheme(); // the colours depend on it
  const cell = Math.max(least, Math.min(largest, Math.floor(room / plan.columns), Math.floor((props.tallest ?? 640) / plan.rows)));
  const at = finder(plan);
  const states = useMemo(() => Object.keys(plan.cells).map(Number), [plan]);

  useLayoutEffect(() => {
    const look = () => measure(box.current!.clientWidth);
    look();
    const watch = new ResizeObserver(look);
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  useLayoutEffect(() => {
    const el = canvas.current!;
    el.width = plan.columns * cell * devicePixelRatio;
    el.height = plan.rows * cell * devicePixelRatio;
    const ctx = el.getContext("2d")!;
    ctx.scale(devicePixelRatio, devicePixelRatio);
    paint(ctx, plan, cell, { ...drawing, pointed });
  });

  const under = (event: MouseEvent): number | null => {
    const { left, top } = canvas.current!.getBoundingClientRect();
    return at((event.clientY - top) / cell, (event.clientX - left) / cell) ?? null;
  };
  const choose = (state: number | null) => state !== null && props.onState?.(state);
  const press = (event: TargetedKeyboardEvent<HTMLCanvasElement>) => {
    const from = pointed ?? drawing.marked ?? plan.start;
    const [r, c] = plan.cells[from] ?? [0, 0];
    const moves: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const move = moves[event.key];
    if (move) point(pointed === null ? from : (beyond(plan, at, from, r, c, move) ?? from));
    else if (event.key === "Enter") choose(pointed);
    else return;
    event.preventDefault();
  };
  const shown = pointed ?? drawing.marked ?? null;
  const [low, high, both] = props.ramp;
  return (
    <figure class="map readable" ref={box}>
      <div class="scroll">
        <canvas
          ref={canvas}
          tabIndex={0}
          role="application"
          aria-label={`${props.label}; arrows move, Enter chooses a state`}
          style={{ width: `${plan.columns * cell}px`, height: `${plan.rows * cell}px` }}
          onMouseMove={(e) => point(under(e))}
          onMouseLeave={() => point(null)}
          onClick={(e) => choose(under(e))}
          onKeyDown={press}
        />
      </div>
      <figcaption>
        <span class={both ? "ramp both" : "ramp plain"}>
          {low} <i aria-hidden="true" /> {high}
        </span>
        <span role="status" data-cell={shown ?? ""}>
          {shown === null ? "point at a cell to read it" : props.tell(shown)}
        </span>
      </figcaption>
      <Numbers of={props.label} told={(i) => [props.tell(states[i]!)]} count={states.length} />
    </figure>
  );
}

/** beyond is the next state in a direction, over walls. */
function beyond(plan: Plan, at: ReturnType<typeof finder>, from: number, r: number, c: number, [down, right]: [number, number]): number | undefined {
  for (r += down, c += right; r >= 0 && c >= 0 && r < plan.rows && c < plan.columns; r += down, c += right) {
    const state = at(r + 0.5, c + 0.5);
    if (state !== undefined && state !== from) return state;
  }
  return undefined;
}
