import { useEffect, useRef, useState } from "preact/hooks";
import { answer } from "../api";
import { useTheme } from "../theme";
import { curve, strip, type Table } from "./ring";

/** tablePath is where an option's value and policy are; option is as in paths of the API. */
export const tablePath = (option: string) => `/api/runs/${option}/table`;

/** readTable reads a value of 8 bytes for each state, then the number of an action for each. */
export async function readTable(response: Response): Promise<Table> {
  const buffer = await response.arrayBuffer();
  const states = buffer.byteLength / 9;
  return { value: new Float64Array(buffer, 0, states), policy: new Int8Array(buffer, 8 * states) };
}

/** Small draws an option in small, once it comes into sight. */
export function Small({ path, label, actions = 2 }: { path: string; label: string; actions?: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [table, setTable] = useState<Table | null>();
  const theme = useTheme();

  useEffect(() => {
    const abort = new AbortController();
    const watch = new IntersectionObserver(
      (entries) => {
        if (!entries.some((e) => e.isIntersecting)) return;
        watch.disconnect();
        answer(tablePath(path), abort.signal).then(readTable).then(setTable, () => abort.signal.aborted || setTable(null));
      },
      { rootMargin: "200px" },
    );
    watch.observe(canvas.current!);
    return () => {
      watch.disconnect();
      abort.abort();
    };
  }, [path]);

  useEffect(() => {
    if (table) draw(canvas.current!, table, actions);
  }, [table, theme.resolved]);

  return (
    <>
      <canvas ref={canvas} class="small" role="img" aria-label={label} />
      {table === null && <span class="note">not there to be read</span>}
    </>
  );
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
