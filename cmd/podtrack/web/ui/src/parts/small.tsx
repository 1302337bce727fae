import { useEffect, useRef, useState } from "preact/hooks";
import { answer } from "../api";
import { useTheme } from "../theme";
import { paint, shades, type Plan } from "./map";
import { curve, strip, type Table } from "./ring";

/** tablePath is where an option's value and policy are; option is as in paths of the API. */
export const tablePath = (option: string) => `/api/runs/${option}/table`;

/** readTable reads a value of 8 bytes for each state, then the number of an action for each. */
export async function readTable(response: Response): Promise<Table> {
  const buffer = await response.arrayBuffer();
  const states = buffer.byteLength / 9;
  return { value: new Float64Array(buffer, 0, states), policy: new Int8Array(buffer, 8 * states) };
}

/** readFloats reads a number of 8 bytes for each state. */
export const readFloats = async (response: Response) => new Float64Array(await response.arrayBuffer());

/** readPotential reads what a purpose is worth where. */
const readPotential = async (response: Response): Promise<Table> => ({ value: await readFloats(response), policy: new Int8Array(0) });

/** Small draws an option in small, or with potential what its purpose is worth where, once it comes into sight. */
export function Small({ path, label, actions = 2, plan, potential }: { path: string; label: string; actions?: number; plan?: Plan | null; potential?: boolean }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [table, setTable] = useState<Table | null>();
  const theme = useTheme();

  useEffect(() => {
    const abort = new AbortController();
    setTable(undefined);
    const read = () => (potential ? answer(`/api/runs/${path}/potential`, abort.signal).then(readPotential) : answer(tablePath(path), abort.signal).then(readTable));
    const watch = new IntersectionObserver(
      (entries) => {
        if (!entries.some((e) => e.isIntersecting)) return;
        watch.disconnect();
        read().then(setTable, () => abort.signal.aborted || setTable(null));
      },
      { rootMargin: "200px" },
    );
    watch.observe(canvas.current!);
    return () => {
      watch.disconnect();
      abort.abort();
    };
  }, [path, potential]);

  useEffect(() => {
    if (!table) return;
    if (plan) drawMap(canvas.current!, table, plan);
    else draw(canvas.current!, table, actions);
  }, [table, theme.resolved, plan]);

  return (
    <>
      <canvas ref={canvas} class={plan ? "small plan" : "small"} style={plan ? { aspectRatio: `${plan.columns} / ${plan.rows}`, width: `min(100%, ${(170 * plan.columns) / plan.rows}px)` } : undefined} role="img" aria-label={label} data-drawn={table ? "" : undefined} />
      {table === null && <span class="note">not there to be read</span>}
    </>
  );
}

function drawMap(canvas: HTMLCanvasElement, table: Table, plan: Plan): void {
  const cell = Math.max(2, Math.round((canvas.clientWidth * devicePixelRatio) / plan.columns));
  canvas.width = cell * plan.columns;
  canvas.height = cell * plan.rows;
  paint(canvas.getContext("2d")!, plan, cell, { shade: shades(table.value), policy: table.policy.length ? table.policy : undefined });
}

function draw(canvas: HTMLCanvasElement, table: Table, actions: number): void {
  const scale = devicePixelRatio;
  canvas.width = Math.round(canvas.clientWidth * scale);
  canvas.height = Math.round(canvas.clientHeight * scale);
  const ctx = canvas.getContext("2d")!;
  const band = Math.round(8 * scale);
  const top = new DOMRect(0, 0, canvas.width, canvas.height - band - 2 * scale);
  curve(ctx, top, table.value, table.value.reduce((a, b) => Math.max(a, b), 0));
  strip(ctx, new DOMRect(0, canvas.height - band, canvas.width, band), table.policy, [0, table.policy.length], actions);
}
