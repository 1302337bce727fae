import { useCallback, useEffect, useMemo, useRef } from "preact/hooks";
import uPlot from "uplot";
import { placeOf, stateAt, type Axis, type Range } from "./axis";
import { colour } from "../theme";
import { Chart, left, room, rule, wholes } from "./chart";
import { bars, strip } from "./ring";

const band = 12; // pixels of the policy's strip, and half of it of that of termination

interface Mark {
  state: number | null;
  path: number[]; // states
}

/** Profile is what is drawn over the states of an environment. */
interface Profile {
  label: string;
  values: Float64Array;
  most?: number; // the axis goes as far at least, so that several charts have one scale
  policy?: Int8Array;
}

/**
 * ValueChart draws numbers over the states, a policy and its termination below, and a
 * path that an option takes. All charts of a group have one axis, which dragging zooms.
 */
export function ValueChart(props: {
  profile: Profile;
  axis: Axis;
  actions: number;
  state?: number | null;
  path?: number[];
  group?: string;
  height?: number;
  window?: Range; // of the axis, if the address has it
  onWindow?: (window: Range) => void;
  onState?: (s: number) => void;
  onPoint?: (s: number | null) => void;
}) {
  const { profile, axis, state = null, path } = props;
  const n = profile.values.length;
  const plot = useRef<uPlot | undefined>(undefined);
  const mark = useRef<Mark>({ state: null, path: [] });
  mark.current = { state, path: path ?? [] };
  const now = useRef(props);
  now.current = props;
  const ordered = useMemo(() => order(profile, axis), [profile, axis]);
  const data = useMemo((): uPlot.AlignedData => [Array.from(ordered.values, (_, i) => axis.first + i), Array.from(ordered.values)], [ordered]);
  useEffect(() => plot.current?.redraw(false), [state, path?.join()]);
  useEffect(() => plot.current?.setData(plot.current.data), [props.window?.from, props.window?.to]);
  const ready = useCallback((u: uPlot) => {
    plot.current = u;
    u.over.addEventListener("click", () => {
      const idx = u.cursor.idx;
      if (u.select.width < 2 && typeof idx === "number") now.current.onState?.(stateAt(n, axis.first + idx));
    });
  }, []);
  const build = () => options(ordered, axis, props.actions, mark, now);
  return <Chart label={`${profile.label} over ${n} states`} build={build} of={[ordered]} data={data} height={props.height ?? 280} onReady={ready} />;
}

/** order puts numbers in the order of the axis. */
function order(of: Profile, axis: Axis): Profile {
  const turned = <T extends Float64Array | Int8Array>(from: T): T => {
    if (axis.first === 0) return from;
    const to = from.slice() as T;
    from.forEach((x, s) => (to[placeOf(axis, from.length, s) - axis.first] = x));
    return to;
  };
  return { ...of, values: turned(of.values), policy: of.policy && turned(of.policy) };
}

function options(of: Profile, axis: Axis, actions: number, mark: { current: Mark }, now: { current: Parameters<typeof ValueChart>[0] }): Omit<uPlot.Options, "width" | "height"> {
  const { policy, values } = of;
  const n = values.length;
  const { group, onWindow } = now.current;
  const low = values.reduce((a, b) => Math.min(a, b), 0) * 1.08;
  const high = values.reduce((a, b) => Math.max(a, b), of.most ?? 0) * 1.08;
  const bands = policy ? 1.5 * band + 3 : 0;
  return {
    padding: room,
    scales: { x: { time: false, range: (_, min, max) => [(now.current.window?.from ?? min) - 0.5, (now.current.window?.to ?? max) + 0.5] }, y: { range: () => [low, high > low ? high : 1] } },
    axes: [wholes(policy || !onWindow ? axis.label : "", { gap: bands + 6, size: bands + 32 }), left(of.label, { size: 60 })],
    series: [{}, { paths: () => null, points: { show: false } }],
    cursor: {
      drag: { x: true, y: false, setScale: !onWindow },
      ...(group ? { sync: { key: group } } : {}),
      ...(onWindow ? { bind: { dblclick: () => () => (onWindow({ from: axis.first, to: axis.first + n - 1 }), null) } } : {}),
    },
    hooks: {
      setCursor: [(u) => now.current.onPoint?.(typeof u.cursor.idx === "number" ? stateAt(n, axis.first + u.cursor.idx) : null)],
      setSelect: [
        (u) => {
          if (!onWindow || u.select.width < 4) return;
          const at = (pixel: number) => Math.round(u.posToVal(pixel, "x"));
          onWindow({ from: at(u.select.left), to: Math.max(at(u.select.left) + 1, at(u.select.left + u.select.width)) });
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
      draw: [
        (u) => {
          const { left, top, width, height } = u.bbox;
          const scale = devicePixelRatio;
          const range: [number, number] = [u.scales.x!.min! + 0.5 - axis.first, u.scales.x!.max! + 0.5 - axis.first];
          bars(u.ctx, new DOMRect(left, top, width, height), values, range, (v) => u.valToPos(v, "y", true));
          if (policy) {
            const below = (y: number, h: number) => new DOMRect(left, top + height + y * scale, width, h * scale);
            strip(u.ctx, below(3, band), policy, range, actions);
            strip(u.ctx, below(band + 5, band / 2), policy, range, 0);
          }
          trail(u, of, axis, mark.current.path);
          if (mark.current.state !== null) rule(u, [placeOf(axis, n, mark.current.state)], colour("text"));
        },
      ],
    },
  };
}

/** trail marks the states of a path. */
function trail(u: uPlot, { values }: Profile, axis: Axis, path: number[]): void {
  u.ctx.fillStyle = colour("text");
  for (const s of path) {
    const place = placeOf(axis, values.length, s);
    const x = u.valToPos(place, "x", true);
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
    u.ctx.beginPath();
    u.ctx.arc(x, u.valToPos(values[place - axis.first] ?? 0, "y", true), 2.5 * devicePixelRatio, 0, 2 * Math.PI);
    u.ctx.fill();
  }
}
