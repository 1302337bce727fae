import { useEffect, useRef, useState } from "preact/hooks";
import { bytes } from "../api";
import { useTheme } from "../theme";
import { curve, strip, type Table } from "./ring";

/** readTable reads an option's value and policy. */
export async function readTable(option: string, signal?: AbortSignal): Promise<Table> {
  const base = `/api/runs/${option}`;
  const [value, policy] = await Promise.all([bytes(`${base}/value`, signal), bytes(`${base}/policy`, signal)]);
  return { value: new Float64Array(value), policy: new Int8Array(policy) };
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
        readTable(path, abort.signal).then(setTable, () => abort.signal.aborted || setTable(null));
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
