import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { short, whole } from "../format";
import { colour, useTheme } from "../theme";
import { Numbers } from "./numbers";

type Build = () => Omit<uPlot.Options, "width" | "height">;

const paper = 700; // pixels of the width of a page on paper, about

/**
 * Chart draws series with uPlot, as wide as there is room. It is built again where
 * `of` or the theme changes; new data alone are only drawn. Series that have names are
 * told by colour above it, the pointer or the arrows read numbers from it, and behind it
 * is a table of them.
 */
export function Chart(props: {
  label: string; // for screen readers
  build: Build;
  of: unknown[];
  data: uPlot.AlignedData;
  height?: number;
  onReady?: (plot: uPlot) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const theme = useTheme();
  const height = props.height ?? 220;
  const [at, point] = useState<number | null | undefined>(null);
  const options = useMemo(props.build, [theme.resolved, ...props.of]);
  const named = options.series.filter((s, n) => n && s.label && s.show !== false);
  const width = () => Math.min(box.current!.clientWidth, theme.printing ? paper : Infinity);
  const fit = () => void (width() && plot.current?.setSize({ width: width(), height }));

  useLayoutEffect(() => {
    const el = box.current!;
    const hooks = { ...options.hooks, setCursor: [...(options.hooks?.setCursor ?? []), (u: uPlot) => point(u.cursor.idx)] };
    const made = new uPlot({ ...options, hooks, width: width() || 300, height }, props.data, el);
    plot.current = made;
    props.onReady?.(made);
    const watch = new ResizeObserver(fit);
    watch.observe(el);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [options, height]);

  useLayoutEffect(fit, [theme.printing]);
  useEffect(() => {
    if (plot.current && plot.current.data !== props.data) plot.current.setData(props.data);
  }, [props.data]);

  const x = props.data[0];
  const press = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const u = plot.current!;
    const to = Math.max(0, Math.min(x.length - 1, (at ?? (step > 0 ? -1 : x.length)) + step));
    u.setCursor({ left: u.valToPos(x[to]!, "x"), top: 0 });
    event.preventDefault();
    event.stopPropagation();
  };
  const read = useMemo(() => namesOf(options), [options]);
  const told = (i: number) => read.map(([n, name]) => `${name} ${short(props.data[n]![i])}`);
  return (
    <div class="readable">
      {named.length > 1 && (
        <p class="legend chart-legend">
          {named.map((s) => (
            <span key={s.label}>
              <i style={{ color: String(s.stroke) }} aria-hidden="true" /> {s.label}
            </span>
          ))}
        </p>
      )}
      <div class="chart" ref={box} role="img" aria-label={props.label} tabIndex={0} onKeyDown={press} />
      <output>{at != null && at < x.length && told(at).map((text, n) => <span key={n}>{text}</span>)}</output>
      <Numbers of={props.label} told={told} count={x.length} />
    </div>
  );
}

/** namesOf are the numbers and names of the series that are read: those that have names, or where none has one that of the vertical axis for each that is seen. */
function namesOf({ series, axes }: ReturnType<Build>): [number, string][] {
  const all = series.map((s, n): [number, string] => [n, String(s.label ?? axes?.[n ? 1 : 0]?.label ?? "")]);
  const named = all.slice(1).filter(([n]) => series[n]!.label);
  return [all[0]!, ...(named.length ? named : all.slice(1).filter(([n]) => series[n]!.show !== false))];
}

const font = "12px system-ui, sans-serif";

/** axis is one in the page's colours. */
function axis(label: string, more: Partial<uPlot.Axis> = {}): uPlot.Axis {
  const line = { stroke: colour("line"), width: 1 };
  return {
    label,
    labelSize: label ? 18 : 0,
    labelFont: font,
    font,
    stroke: colour("soft"),
    grid: line,
    ticks: { ...line, size: 4 },
    gap: 3,
    size: 28,
    values: (_, marks) => marks.map((x) => (x === null ? "" : whole(x))),
    ...more,
  };
}

/** left is a vertical axis wide enough for its longest number. */
export function left(label: string, more: Partial<uPlot.Axis> = {}): uPlot.Axis {
  const size = (_: uPlot, values: string[] | null) => 16 + 7 * Math.max(2, ...(values ?? []).map((v) => v?.length ?? 0));
  return axis(label, { size, ...more });
}

const apart = 6; // pixels from one line to the next; closer ones would cover what is drawn

/** rule draws a vertical line at each of the places, dashed, unless they are too many. */
export function rule(u: uPlot, places: number[], stroke: string): void {
  const { ctx, bbox } = u;
  const seen = places.filter((p) => p >= u.scales.x!.min! && p <= u.scales.x!.max!);
  if (seen.length > 1 && seen.length * apart * devicePixelRatio > bbox.width) return;
  ctx.save();
  ctx.strokeStyle = stroke;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const place of seen) {
    const x = Math.round(u.valToPos(place, "x", true));
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

const steps = Array.from({ length: 12 }, (_, n) => [1, 2, 5].map((x) => x * 10 ** n)).flat();

/** wholes is a horizontal axis of whole numbers. */
export function wholes(label: string, more: Partial<uPlot.Axis> = {}): uPlot.Axis {
  const space = (_: uPlot, __: number, ___: number, most: number) => Math.max(40, 26 + 8 * whole(Math.round(most)).length);
  return axis(label, { incrs: steps, space, ...more });
}

/** room is beside a chart whose last number on the axis may be long. */
export const room: uPlot.Padding = [10, (u) => Math.max(30, 4 * whole(Math.round(u.data?.[0].at(-1) ?? 0)).length), null, null];
