import type { TargetedKeyboardEvent } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { useSteady } from "../api";
import { command } from "../command";
import { Chart, left, room, rule, wholes } from "../parts/chart";
import { Downloads, Panel } from "../parts/panel";
import { Shown } from "../parts/states";
import { whole } from "../format";
import { set } from "../router";
import { colour } from "../theme";
import type { Detail } from "../types";
import { label } from "./fields";

export interface Series {
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
export async function readWalk(response: Response): Promise<Series> {
  const buffer = await response.arrayBuffer();
  const end = new Uint8Array(buffer).indexOf(10);
  const header = JSON.parse(new TextDecoder().decode(buffer.slice(0, end)));
  const values = new Float64Array(buffer.slice(end + 1));
  const series: Series = { ...header, boundaries: header.boundaries ?? [], x: [], low: [], high: [] };
  for (let i = 0; 2 * i + 1 < values.length; i++) {
    series.x.push(header.from + i * header.bucket);
    series.low.push(values[2 * i]!);
    series.high.push(values[2 * i + 1]!);
  }
  return series;
}

const least = 8; // steps; a closer look shows nothing more

/** Walk draws the position over time, of the whole run or one iteration; dragging goes down to single steps. */
export function Walk({ detail, query }: { detail: Detail; query: URLSearchParams }) {
  const k = query.get("k");
  const ask = new URLSearchParams({ width: String(Math.min(2000, Math.max(400, innerWidth - 80))) });
  for (const name of ["k", "from", "to"]) if (query.get(name)) ask.set(name, query.get(name)!);
  const answer = useSteady<Series>(`/api/runs/${detail.run}/walk?${ask}`, readWalk);
  const of = k === null ? label(detail) : `${label(detail)}:${k}`;
  const plot = answer.data?.shows === "states" ? "coverage" : "walk";
  return (
    <Panel id="walk" title="Walk" aside={<Choice detail={detail} k={k} />} command={command(`plot ${plot}`, of, "-o", `${plot}.svg`)} figure={{ name: plot, of: [of] }}>
      <Shown answer={answer} what="the walk">
        {(series) => <Drawn series={series} k={k} label={label(detail)} />}
      </Shown>
    </Panel>
  );
}

function Choice({ detail, k }: { detail: Detail; k: string | null }) {
  const choose = (value: string) => set({ k: value || null, from: null, to: null }, false);
  return (
    <label>
      of{" "}
      <select value={k ?? ""} onChange={(e) => choose(e.currentTarget.value)}>
        <option value="">the whole run</option>
        {detail.history.map((it) => (
          <option key={it.k} value={String(it.k)}>
            iteration {it.k}
          </option>
        ))}
      </select>
    </label>
  );
}

function Drawn({ series, k, label }: { series: Series; k: string | null; label: string }) {
  const { from, to, steps, bucket } = series;
  const [focus, setFocus] = useState(false);
  const latest = useRef(series);
  latest.current = series;
  const data = useMemo((): uPlot.AlignedData => [series.x, series.low, series.high], [series]);
  const single = bucket === 1;

  const look = (a: number, b: number) => {
    const { steps } = latest.current;
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
    const move = moves[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    look(...move);
  };
  const csv = { head: ["step", "least", "greatest"], rows: series.x.map((x, i) => [x, series.low[i], series.high[i]]) };
  const build = () => walkOptions(single, latest, look);

  return (
    <div class={focus ? "walk focused" : "walk"} tabIndex={0} role="group" aria-label="the walk: arrows move, plus and minus zoom, 0 shows all" onKeyDown={press} onFocus={() => setFocus(true)} onBlur={() => setFocus(false)}>
      <Chart label={`${kinds[series.shows]} over steps ${from} to ${to - 1}`} build={build} of={[single, k, series.shows]} data={data} height={260} />
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

function walkOptions(single: boolean, latest: { current: Series }, look: (a: number, b: number) => void): Omit<uPlot.Options, "width" | "height"> {
  const accent = colour("accent");
  const line = { stroke: accent, width: single ? 1.6 : 1, points: { show: false } };
  return {
    legend: { show: false },
    padding: room,
    scales: { x: { time: false, range: () => [latest.current.from, latest.current.to - 1] } },
    axes: [wholes("step"), left(kinds[latest.current.shows])],
    series: [{}, single ? { ...line, paths: uPlot.paths.stepped!({ align: 1 }) } : line, single ? { show: false } : line],
    bands: single ? [] : [{ series: [2, 1], fill: accent }],
    cursor: {
      drag: { x: true, y: false, setScale: false },
      bind: { dblclick: () => () => (look(0, latest.current.steps), null) },
    },
    hooks: {
      draw: [(u) => dots(u, latest.current)],
      drawAxes: [(u) => rule(u, latest.current.boundaries.filter((b) => b > 0), colour("soft"))],
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
