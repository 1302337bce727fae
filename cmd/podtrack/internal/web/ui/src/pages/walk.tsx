import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { parse, useSteady, useWorld } from "../api";
import { command } from "../command";
import { OfIteration } from "../parts/ask";
import { named } from "../parts/axis";
import { Chart, left, room, rule, wholes } from "../parts/chart";
import { light, lit, watchLit } from "../parts/lit";
import { place } from "../parts/map";
import { Downloads, Panel } from "../parts/panel";
import { Shown } from "../parts/states";
import { whole } from "../format";
import { shown } from "../links";
import { set } from "../router";
import { colour } from "../theme";
import type { Detail, World } from "../types";
import { Ref } from "./causes";
import { label } from "./fields";

interface Series {
  steps: number;
  from: number;
  to: number;
  bucket: number; // steps of a point
  boundaries: number[];
  shows: "position" | "distance" | "states";
  episodes: number;
  resets: number[]; // points at which an episode ends
  x: number[];
  low: number[];
  high: number[];
}

/** readWalk reads a line of JSON, then the least and greatest position of each bucket. */
async function readWalk(response: Response): Promise<Series> {
  const buffer = await response.arrayBuffer();
  const end = new Uint8Array(buffer).indexOf(10);
  const header = parse<any>(new TextDecoder().decode(buffer.slice(0, end)));
  const values = new Float64Array(buffer.slice(end + 1));
  const series: Series = { ...header, boundaries: header.boundaries ?? [], x: [], low: [], high: [] };
  for (let i = 0; 2 * i + 1 < values.length; i++) {
    series.x.push(header.from + i * header.bucket);
    series.low.push(values[2 * i]!);
    series.high.push(values[2 * i + 1]!);
  }
  return series;
}

/** Acts is what the agent did in the part of the walk that is shown. */
interface Acts {
  from: number;
  bucket: number;
  spans: { from: number; to: number; number: number; option: string }[]; // an empty option is primitive actions
  states: number[]; // at each point, if a bucket is one
  actions: number[];
}

const least = 8; // steps; a closer look shows nothing more
const most = 1 << 20; // steps of which the server tells options, and makes a walk of primitive actions

/** Walk draws the position over time, of the whole run or one iteration, with the option that executes; dragging goes down to single steps. */
export function Walk({ detail, query }: { detail: Detail; query: URLSearchParams }) {
  const k = query.get("k");
  const ask = new URLSearchParams({ width: String(Math.min(2000, Math.max(400, innerWidth - 80))) });
  for (const name of ["k", "from", "to"]) if (query.get(name)) ask.set(name, query.get(name)!);
  const path = `/api/runs/${detail.run}`;
  const answer = useSteady<Series>(`${path}/walk?${ask}`, readWalk, undefined, detail.head);
  const near = !answer.loading && answer.data && answer.data.to - answer.data.from <= most;
  const acts = useSteady<Acts>(near ? `${path}/steps?${ask}` : null, undefined, undefined, detail.head);
  const primitive = useSteady<Series>(near && answer.data!.steps <= most && !detail.spec.env.external && query.get("against") !== "nothing" ? `${path}/walk?${ask}&primitive=true` : null, readWalk, undefined, detail.head);
  const world = useWorld(detail);
  const of = k === null ? label(detail) : `${label(detail)}:${k}`;
  const plot = answer.data?.shows === "states" ? "coverage" : "walk";
  const flags: Record<string, string> = {};
  if (answer.data && (query.get("from") || query.get("to"))) flags.steps = `${answer.data.from}:${answer.data.to - 1}`;
  if (query.get("against")) flags.against = "nothing";
  const words = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  return (
    <Panel id="walk" title="Walk" aside={<Choice detail={detail} k={k} alone={query.get("against") !== null} />} command={command(`plot ${plot}`, of, ...words, "-o", `${plot}.svg`)} figure={{ name: plot, of: [of], flags }}>
      <Shown answer={answer} what="the walk">
        {(series) => <Drawn series={series} primitive={query.get("against") ? undefined : primitive.data} acts={acts.data} world={world} k={k} label={label(detail)} at={query.get("at")} />}
      </Shown>
    </Panel>
  );
}

function Choice({ detail, k, alone }: { detail: Detail; k: string | null; alone: boolean }) {
  return (
    <>
    <OfIteration detail={detail} name="k" k={k} all="the whole run" without={["from", "to", "at"]} />{" "}
    {!detail.spec.env.external && (
      <label>
        <input type="checkbox" checked={!alone} onChange={() => set({ against: alone ? null : "nothing" })} data-primitive /> beside primitive actions
      </label>
    )}
    </>
  );
}

/** Told is all that is shown of a walk. */
interface Told {
  series: Series;
  acts?: Acts;
  at: number | null; // the step that is marked
  point: (at: number | null) => void;
  mark: (at: number) => void;
}

function Drawn({ series, primitive, acts, world, k, label, at }: { series: Series; primitive?: Series; acts?: Acts; world?: World; k: string | null; label: string; at: string | null }) {
  const { from, to, steps, bucket } = series;
  const [focus, setFocus] = useState(false);
  const [pointed, point] = useState<number | null>(null);
  const marked = at === null ? null : Number(at);
  const latest = useRef<Told>(null!);
  const mark = (t: number) => set({ at: String(Math.max(0, Math.min(steps, Math.round(t)))) });
  latest.current = { series, acts, at: marked, point, mark };
  const beside = primitive?.from === from && primitive.to === to && primitive.bucket === bucket ? primitive : undefined;
  const data = useMemo((): uPlot.AlignedData => [series.x, ...(beside ? [beside.low, beside.high] : [series.x.map(() => null), series.x.map(() => null)]), series.low, series.high], [series, beside]);
  const single = bucket === 1;
  const plot = useRef<uPlot | undefined>(undefined);
  useEffect(() => plot.current?.redraw(false), [acts, marked]);
  useEffect(() => watchLit(() => plot.current?.redraw(false)), []);
  const read = tell(pointed ?? marked, series, acts, world);
  useEffect(() => light(read.option), [read.option]);

  const look = (a: number, b: number) => {
    const { steps } = latest.current.series;
    const length = Math.min(steps, Math.max(least, Math.round(b - a)));
    const start = Math.max(0, Math.min(steps - length, Math.round(a)));
    const all = length >= steps;
    set({ from: all ? null : String(start), to: all ? null : String(start + length) }, false);
  };
  const press = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const span = to - from;
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [from - span / 4, to - span / 4],
      ArrowRight: [from + span / 4, to + span / 4],
      "+": [from + span / 4, to - span / 4],
      "-": [from - span / 2, to + span / 2],
      "0": [0, steps],
    };
    if (event.key === "," || event.key === ".") mark((marked ?? from) + (event.key === "." ? 1 : -1));
    const move = moves[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    look(...move);
  };
  const csv = { head: ["step", "least", "greatest"], rows: series.x.map((x, i) => [x, series.low[i], series.high[i]]) };
  const build = () => walkOptions(single, latest, look);

  return (
    <div class={focus ? "walk focused" : "walk"} tabIndex={0} role="group" aria-label="the walk: arrows move, plus and minus zoom, 0 shows all, comma and full stop mark a step" onKeyDown={press} onFocus={() => setFocus(true)} onBlur={() => setFocus(false)}>
      <Chart label={`${kinds[series.shows]} over steps ${from} to ${to - 1}`} build={build} of={[single, k, series.shows]} data={data} height={290} onReady={(u) => (plot.current = u)} />
      <p class="legend">
        {beside && [
          <span>
            <i class="series-0" aria-hidden="true" /> the run
          </span>,
          <span>
            <i class="neutral" aria-hidden="true" /> primitive actions, by the same seed
          </span>,
        ]}
        <span data-told={read.step ?? ""}>
          {read.text}
          {read.option && (
            <>
              , executing <Ref name={read.option} number={read.number} run={label} />
            </>
          )}
        </span>
      </p>
      <div class="toolbar">
        <span role="status" data-walk={`${from}-${to}/${bucket}`}>
          steps {whole(from)} to {whole(to - 1)} of {whole(steps)}, {single ? "every single step" : `the range of each ${whole(bucket)} steps`}
        </span>
        {series.shows !== "position" && <span class="note">{explained[series.shows]}</span>}
        {series.episodes > 0 && (
          <span class="note">
            {series.resets.length ? "dots are ends of episodes" : `${whole(series.episodes)} episodes end there`}
          </span>
        )}
        <button type="button" class="quiet" disabled={to - from <= least} onClick={() => look(from + (to - from) / 4, to - (to - from) / 4)}>
          zoom in
        </button>
        <button type="button" class="quiet" disabled={to - from >= steps} onClick={() => look(from - (to - from) / 2, to + (to - from) / 2)}>
          zoom out
        </button>
        <button type="button" class="quiet" disabled={to - from >= steps} onClick={() => look(0, steps)}>
          all
        </button>
        <Downloads files={{ name: `${label}-walk`, csv }} />
      </div>
    </div>
  );
}

const kinds = { position: "position", distance: "distance from the start", states: "states visited" };

const explained = { distance: "distance from the start of the walk, or of its episode", states: "the environment does not say how far apart its states are: distinct states visited" };

/** dots mark the points at which episodes end. */
function dots(u: uPlot, { resets, from, bucket, high }: Series): void {
  if (resets.length * 5 * devicePixelRatio > u.bbox.width) return; // they would cover what is drawn
  u.ctx.fillStyle = colour("series-1");
  for (const t of resets) {
    u.ctx.beginPath();
    u.ctx.arc(u.valToPos(t, "x", true), u.valToPos(high[Math.floor((t - from) / bucket)] ?? 0, "y", true), 3 * devicePixelRatio, 0, 2 * Math.PI);
    u.ctx.fill();
  }
}

/** tell reads a step: where the agent is, what it does, and which option executes. */
function tell(at: number | null, series: Series, acts?: Acts, world?: World): { text: string; step?: number; option?: string; number?: number; state?: number } {
  const i = at === null ? -1 : Math.floor((at - series.from) / series.bucket);
  if (at === null || series.low[i] === undefined) return { text: `${series.to - series.from > most ? `zoom in to ${whole(most)} steps to see which options execute` : "the band below is the option that executes, grey for primitive actions"}; point at a step to read it, a click keeps it` };
  const [low, high] = [series.low[i]!, series.high[i]!];
  const step = series.from + i * series.bucket;
  const last = step + series.bucket - 1;
  const span = acts?.spans.find((s) => step >= s.from && step < s.to);
  const parts = [last > step ? `steps ${whole(step)} to ${whole(last)}` : `step ${whole(step)}`];
  const state = acts?.bucket === 1 ? acts.states[step - acts.from] : undefined;
  if (state !== undefined && world) parts.push(`state ${world.plan ? `${place(world.plan, state)} (${state})` : named(world.axis, world.states)(state)}`);
  parts.push(`${kinds[series.shows]} ${whole(low)}${high > low ? ` to ${whole(high)}` : ""}`);
  const action = state === undefined ? undefined : world?.actions[acts!.actions[step - acts!.from]!];
  if (action) parts.push(`goes ${action}`);
  if (span && !span.option) parts.push("no option executes");
  return { text: parts.join(", "), step, option: span?.option || undefined, number: span?.number, state };
}

const band = 16; // pixels of the ribbon

/** ribbon draws which option executes: by colour, and by name where there is room. */
function ribbon(u: uPlot, acts?: Acts): void {
  if (!acts) return;
  const { ctx, bbox } = u;
  const scale = devicePixelRatio;
  const [top, height] = [bbox.top + bbox.height + 3 * scale, band * scale];
  const hues = [2, 3, 4, 5, 1].map((n) => colour(`series-${n}`)); // the first is the walk's own
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, top, bbox.width, height);
  ctx.clip();
  ctx.fillStyle = colour("rest");
  ctx.fillRect(bbox.left, top, bbox.width, height);
  ctx.font = `${11 * scale}px system-ui, sans-serif`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  for (const s of acts.spans) {
    if (!s.option) continue;
    const x = u.valToPos(s.from, "x", true);
    const width = u.valToPos(s.to, "x", true) - x;
    ctx.globalAlpha = !lit || lit === s.option ? 0.85 : 0.2;
    ctx.fillStyle = hues[s.number % hues.length]!;
    ctx.fillRect(x, top, Math.max(1, width - (width > 4 * scale ? scale : 0)), height);
    ctx.globalAlpha = 1;
    ctx.fillStyle = "#000";
    if (width > 34 * scale) ctx.fillText(shown(s.option), x + width / 2, top + height / 2);
  }
  ctx.restore();
}

function walkOptions(single: boolean, latest: { current: Told }, look: (a: number, b: number) => void): Omit<uPlot.Options, "width" | "height"> {
  const accent = colour("accent");
  const line = { stroke: accent, width: single ? 1.6 : 1, points: { show: false } };
  const grey = colour("neutral");
  const path = single ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {};
  return {
    padding: room,
    scales: { x: { time: false, range: () => [latest.current.series.from, latest.current.series.to - 1] } },
    axes: [wholes("step", { gap: band + 6, size: band + 34 }), left(kinds[latest.current.series.shows])],
    series: [{}, ...[grey, accent].flatMap((stroke) => [{ ...line, ...path, stroke }, single ? { show: false } : { ...line, stroke }])],
    bands: single ? [] : [[2, 1, grey], [4, 3, accent]].map(([a, b, fill]) => ({ series: [a, b] as [number, number], fill: fill as string })),
    cursor: {
      drag: { x: true, y: false, setScale: false },
      bind: { dblclick: () => () => (look(0, latest.current.series.steps), null) },
    },
    hooks: {
      ready: [
        (u) =>
          u.over.addEventListener("click", () => {
            if (u.select.width < 4 && typeof u.cursor.idx === "number") latest.current.mark(latest.current.series.x[u.cursor.idx]!);
          }),
      ],
      setCursor: [(u) => latest.current.point(typeof u.cursor.idx === "number" ? latest.current.series.x[u.cursor.idx]! : null)],
      draw: [
        (u) => {
          dots(u, latest.current.series);
          ribbon(u, latest.current.acts);
          if (latest.current.at !== null) rule(u, [latest.current.at], colour("text"));
        },
      ],
      drawAxes: [(u) => rule(u, latest.current.series.boundaries.filter((b) => b > 0), colour("soft"))],
      setSelect: [
        (u) => {
          if (u.select.width < 4) return;
          look(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
  };
}
