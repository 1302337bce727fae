import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { answer, json } from "../api";
import { useTheme } from "../theme";
import { paint, shades, type Plan } from "./map";
import { weights, type Table } from "./ring";

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

/** Drawn is what is drawn in small: a map of numbers with a policy, or a vector of weights. */
interface Drawn {
  table?: Table;
  vector?: number[];
}

const readMap = async (path: string, potential: boolean | undefined, signal: AbortSignal): Promise<Drawn> => {
  if (!potential) return { table: await readTable(await answer(tablePath(path), signal)) };
  return { table: { value: await readFloats(await answer(`/api/runs/${path}/potential`, signal)), policy: new Int8Array(0) } };
};
const readVector = async (path: string, signal: AbortSignal): Promise<Drawn> => ({ vector: (await json<any>(`/api/runs/${path}`, signal)).purpose.vector });

/** Small draws an option in small once it comes into sight: on a map, with potential what its purpose is worth where, or else the weights of its purpose. */
export function Small({ path, label, plan, potential }: { path: string; label: string; plan?: Plan | null; potential?: boolean }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [drawn, setDrawn] = useState<Drawn | null>();
  const theme = useTheme();
  const mapped = !!plan;

  useEffect(() => {
    const abort = new AbortController();
    setDrawn(undefined);
    const read = () => (mapped ? readMap(path, potential, abort.signal) : readVector(path, abort.signal));
    const watch = new IntersectionObserver(
      (entries) => {
        if (!entries.some((e) => e.isIntersecting)) return;
        watch.disconnect();
        read().then(setDrawn, () => abort.signal.aborted || setDrawn(null));
      },
      { rootMargin: "200px" },
    );
    watch.observe(canvas.current!);
    return () => {
      watch.disconnect();
      abort.abort();
    };
  }, [path, potential, mapped]);

  useLayoutEffect(() => {
    if (drawn?.table && plan) drawMap(canvas.current!, drawn.table, plan);
    else if (drawn?.vector) drawWeights(canvas.current!, drawn.vector);
  }, [drawn, theme.resolved, plan]);

  return (
    <>
      <canvas ref={canvas} class={plan ? "small plan" : "small"} style={plan ? { aspectRatio: `${plan.columns} / ${plan.rows}`, width: `min(100%, ${(170 * plan.columns) / plan.rows}px)` } : undefined} role="img" aria-label={label} data-drawn={drawn ? "" : undefined} />
      {drawn === null && <span class="note">not there to be read</span>}
    </>
  );
}

function drawMap(canvas: HTMLCanvasElement, table: Table, plan: Plan): void {
  const cell = Math.max(2, Math.round((canvas.clientWidth * devicePixelRatio) / plan.columns));
  canvas.width = cell * plan.columns;
  canvas.height = cell * plan.rows;
  paint(canvas.getContext("2d")!, plan, cell, { shade: shades(table.value), policy: table.policy.length ? table.policy : undefined });
}

function drawWeights(canvas: HTMLCanvasElement, vector: number[]): void {
  canvas.width = Math.round(canvas.clientWidth * devicePixelRatio);
  canvas.height = Math.round(canvas.clientHeight * devicePixelRatio);
  weights(canvas.getContext("2d")!, new DOMRect(0, 0, canvas.width, canvas.height), vector);
}
