import { useCallback, useEffect, useMemo, useRef } from "preact/hooks";
import uPlot from "uplot";
import { short } from "../format";
import { colour } from "../theme";
import { Chart, left, room, rule, wholes } from "./chart";
import { strip, type Table } from "./ring";

const band = 12; // pixels of the policy's strip

/**
 * ValueChart draws an option's value over the states, its policy below, and a path
 * that it takes. Dragging zooms, in all charts of a group at once.
 */
export function ValueChart(props: { table: Table; actions: number; state?: number | null; path?: number[]; group?: string; height?: number; onState?: (s: number) => void }) {
  const { table, state = null, path } = props;
  const plot = useRef<uPlot | undefined>(undefined);
  const mark = useRef<{ state: number | null; path: number[] }>({ state: null, path: [] });
  mark.current = { state, path: path ?? [] };
  const choose = useRef(props.onState);
  choose.current = props.onState;
  const data = useMemo((): uPlot.AlignedData => [Array.from(table.value, (_, s) => s), Array.from(table.value)], [table]);
  useEffect(() => plot.current?.redraw(false), [state, path?.join()]);
  const ready = useCallback((u: uPlot) => {
    plot.current = u;
    u.over.addEventListener("click", () => {
      const idx = u.cursor.idx;
      if (u.select.width < 2 && typeof idx === "number") choose.current?.(idx);
    });
  }, []);
  const build = () => options(table, props.actions, mark, props.group);
  return <Chart label={`value over ${table.value.length} states, largest ${short(Math.max(0, ...sample(table.value)))}`} build={build} of={[table]} data={data} height={props.height ?? 280} onReady={ready} />;
}

/** sample takes few enough values to be spread as arguments. */
function sample(values: Float64Array): number[] {
  const stride = Math.ceil(values.length / 4096);
  return Array.from({ length: Math.ceil(values.length / stride) }, (_, i) => values[i * stride]!);
}

function options(table: Table, actions: number, mark: { current: { state: number | null; path: number[] } }, group?: string): Omit<uPlot.Options, "width" | "height"> {
  const accent = colour("accent");
  return {
    legend: { show: true },
    padding: room,
    scales: { x: { time: false }, y: { range: (_, __, high) => [0, high > 0 ? high * 1.08 : 1] } },
    axes: [wholes("state", { gap: band + 6, size: 44 }), left("v")],
    series: [
      { label: "state" },
      { label: "v", stroke: accent, width: 1.5, fill: `color-mix(in srgb, ${accent} 24%, transparent)`, points: { show: false }, paths, value: (_, v) => short(v) },
    ],
    cursor: { drag: { x: true, y: false }, ...(group ? { sync: { key: group } } : {}) },
    hooks: {
      draw: [
        (u) => {
          const { left, top, width, height } = u.bbox;
          const scale = devicePixelRatio;
          const range: [number, number] = [u.scales.x!.min!, u.scales.x!.max! + 1];
          strip(u.ctx, new DOMRect(left, top + height + 3 * scale, width, band * scale), table.policy, range, actions);
          points(u, table, mark.current.path);
          if (mark.current.state !== null) rule(u, [mark.current.state], colour("text"));
        },
      ],
    },
  };
}

const single = uPlot.paths.linear!();

/** paths draw each state, or where a pixel has several the largest of their values, and their mean as the line. */
const paths: uPlot.Series.PathBuilder = (u, series, first, last) => {
  const { left, width } = u.bbox;
  const perPixel = (u.scales.x!.max! - u.scales.x!.min!) / (width / devicePixelRatio);
  if (perPixel < 2) return single(u, series, first, last);
  const value = u.data[series] as number[];
  const [stroke, fill] = [new Path2D(), new Path2D()];
  const floor = u.valToPos(0, "y", true);
  fill.moveTo(left, floor);
  for (let x = 0; x * perPixel + first <= last; x++) {
    const states = value.slice(Math.floor(first + x * perPixel), Math.min(last + 1, Math.ceil(first + (x + 1) * perPixel)));
    const at = left + x * devicePixelRatio;
    stroke.lineTo(at, u.valToPos(states.reduce((a, b) => a + b, 0) / states.length, "y", true));
    fill.lineTo(at, u.valToPos(Math.max(...states), "y", true));
  }
  fill.lineTo(left + width, floor);
  fill.closePath();
  return { stroke, fill };
};

/** points marks the states of a path on the curve. */
function points(u: uPlot, table: Table, path: number[]): void {
  u.ctx.fillStyle = colour("series-1");
  for (const s of path) {
    const x = u.valToPos(s, "x", true);
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
    u.ctx.beginPath();
    u.ctx.arc(x, u.valToPos(table.value[s] ?? 0, "y", true), 2.5 * devicePixelRatio, 0, 2 * Math.PI);
    u.ctx.fill();
  }
}
