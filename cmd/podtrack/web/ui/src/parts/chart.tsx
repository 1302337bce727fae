import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { whole } from "../format";
import { colour, useTheme } from "../theme";

export type Build = () => Omit<uPlot.Options, "width" | "height">;

/**
 * Chart draws series with uPlot, as wide as there is room. It is built again where
 * `of` or the theme changes; new data alone are only drawn.
 */
export function Chart(props: {
  label: string; // for those who do not see it
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

  useLayoutEffect(() => {
    const el = box.current!;
    const made = new uPlot({ ...props.build(), width: el.clientWidth || 300, height }, props.data, el);
    plot.current = made;
    props.onReady?.(made);
    const watch = new ResizeObserver(() => el.clientWidth && made.setSize({ width: el.clientWidth, height }));
    watch.observe(el);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [theme.resolved, height, ...props.of]);

  useEffect(() => {
    if (plot.current && plot.current.data !== props.data) plot.current.setData(props.data);
  }, [props.data]);

  return <div class="chart" ref={box} role="img" aria-label={props.label} />;
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
export const room: uPlot.Padding = [10, 30, null, null];
