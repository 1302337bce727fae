import { useEffect, useMemo, useState } from "preact/hooks";
import { heavyPause, parse, useSteady, useWorld } from "../api";
import { command } from "../command";
import { useLit } from "../parts/lit";
import { spoken, type Plan } from "../parts/map";
import { MapView } from "../parts/mapview";
import { Panel } from "../parts/panel";
import { fold, usePlane } from "../parts/plane";
import { Empty, Failed, Shown } from "../parts/states";
import { plural, whole } from "../format";
import { set } from "../router";
import type { Detail } from "../types";
import { label } from "./fields";

interface Visits {
  states: number;
  last: number[]; // the last iteration of each frame
  pairs: Uint32Array[]; // of each frame: a state and its visits
}

/** readVisits reads a line of JSON, then pairs of a state and its visits, frame by frame. */
async function readVisits(response: Response): Promise<Visits> {
  const buffer = await response.arrayBuffer();
  const end = new Uint8Array(buffer).indexOf(10);
  const head = parse<any>(new TextDecoder().decode(buffer.slice(0, end)));
  const all = new Uint32Array(buffer.slice(end + 1));
  let at = 0;
  return { ...head, pairs: head.iterations.map((n: number) => all.subarray(at, (at += 2 * n))) };
}

const pace = 700; // milliseconds of an iteration that is played
const faint = 0.25; // the strength of one visit
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** VisitsPanel is a map of where the agent was, iteration by iteration. */
export function VisitsPanel({ detail, query }: { detail: Detail; query: URLSearchParams }) {
  const run = detail.run;
  const long = detail.iterations * Number(detail.spec.steps) > 1 << 26; // the server counts no more
  const answer = useSteady<Visits>(long ? null : `/api/runs/${run}/visits?frames=100`, readVisits, heavyPause, detail.head);
  const world = useWorld(detail);
  const plane = usePlane(run, world);
  const folded = useMemo(() => {
    if (!world || !answer.data) return;
    const { counts } = count(answer.data, answer.data.pairs.length);
    return fold(world.axis, world.states, (s) => counts[s]! > 0);
  }, [world, answer.data]);
  const plan = plane.plan ?? folded;
  return (
    <Panel id="visits" title="States visited" command={command("plot visits", label(detail), "-o", "visits.svg")} figure={{ name: "visits", of: [label(detail)] }}>
      {long && <Empty>These steps are too many to be drawn here; the command draws them.</Empty>}
      <Shown answer={answer} what="the visits">
        {(visits) => (plan ? <Grown visits={visits} plan={plan} until={query.get("visits")} /> : plane.error ? <Failed error={plane.error} /> : world && !plane.loading && <Empty>These states are too many to be drawn.</Empty>)}
      </Shown>
    </Panel>
  );
}

/** Grown is the map as it was after an iteration; it grows when it is played. */
function Grown({ visits, plan, until }: { visits: Visits; plan: Plan; until: string | null }) {
  const { last } = visits;
  const end = last.length - 1;
  const frameOf = (k: number) => last.findIndex((l) => l >= k);
  const [played, play] = useState<number | null>(null);
  const asked = played ?? (until === null ? end : frameOf(Number(until)));
  const frame = asked < 0 ? end : asked;
  const k = last[frame] ?? 0;
  const since = (last[frame - 1] ?? -1) + 1;
  const within = since < k ? `iterations ${since} to ${k}` : `iteration ${k}`;
  const { state } = useLit();
  useEffect(() => {
    if (played === null) return;
    const wait = setTimeout(() => {
      if (played < end) return play(played + 1);
      play(null);
      set({ visits: null });
    }, pace);
    return () => clearTimeout(wait);
  }, [played, end]);
  const { counts, fresh, covered } = useMemo(() => count(visits, frame), [visits, frame]);
  const most = useMemo(() => count(visits, end).counts.reduce((a, b) => Math.max(a, b), 1), [visits]);
  const shade = (s: number) => {
    const n = counts[s];
    return n ? (fresh.has(s) ? -1 : 1) * (faint + ((1 - faint) * Math.log(n)) / Math.log(most + 1)) : 0;
  };
  const tell = (s: number) => `${spoken(plan, s)}: ${plural(counts[s] ?? 0, "visit")} by the end of iteration ${k}${fresh.has(s) ? `, the first in ${since < k ? within : "it"}` : ""}`;
  const choose = (at: number) => {
    play(null);
    set({ visits: at < 0 || at === end ? null : String(last[at]) });
  };
  return (
    <>
      <div class="stepper">
        <button type="button" disabled={end < 1 || still.matches} title={still.matches ? "motion is reduced; the slider shows each iteration" : undefined} onClick={() => play(played === null ? 0 : null)} data-play>
          {played === null ? "play" : "stop"}
        </button>
        <label>
          iteration <input type="number" min={last[0]} max={last[end]} step={last[0]! + 1} value={k} required onChange={(e) => e.currentTarget.reportValidity() && choose(frameOf(e.currentTarget.valueAsNumber))} data-visits={k} />
        </label>
        <input type="range" class="grow" min={0} max={end} value={frame} aria-label="iteration" aria-valuetext={within} onInput={(e) => choose(e.currentTarget.valueAsNumber)} />
        <span class="note">
          {whole(covered)} states, {whole(fresh.size)} of them new
        </span>
      </div>
      <MapView plan={plan} drawing={{ shade, marked: state }} label={`visits by the end of iteration ${k}`} tell={tell} ramp={[`first visited in ${within}`, `up to ${plural(most, "visit")}, logarithmic`, true]} tallest={480} />
    </>
  );
}

/** count adds up the visits of frames 0 to k by state, and tells the states first visited in k. */
function count({ states, pairs }: Visits, k: number) {
  const counts = new Uint32Array(states);
  const fresh = new Set<number>();
  let covered = 0;
  pairs.slice(0, k + 1).forEach((p, it) => {
    for (let i = 0; i < p.length; i += 2) {
      if (!counts[p[i]!]) {
        covered++;
        if (it === k) fresh.add(p[i]!);
      }
      counts[p[i]!]! += p[i + 1]!;
    }
  });
  return { counts, fresh, covered };
}
