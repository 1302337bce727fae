import { useEffect, useMemo, useState } from "preact/hooks";
import { useSteady } from "../api";
import { command } from "../command";
import { useLit } from "../parts/lit";
import { spoken, type Plan } from "../parts/map";
import { MapView } from "../parts/mapview";
import { Panel } from "../parts/panel";
import { fold, usePlane } from "../parts/plane";
import { Empty, Failed, Shown } from "../parts/states";
import { plural, whole } from "../format";
import { set } from "../router";
import type { Detail, World } from "../types";
import { label } from "./fields";

interface Visits {
  states: number;
  pairs: Uint32Array[]; // of each iteration: a state and its visits
}

/** readVisits reads a line of JSON, then pairs of a state and its visits, iteration by iteration. */
async function readVisits(response: Response): Promise<Visits> {
  const buffer = await response.arrayBuffer();
  const end = new Uint8Array(buffer).indexOf(10);
  const head = JSON.parse(new TextDecoder().decode(buffer.slice(0, end)));
  const all = new Uint32Array(buffer.slice(end + 1));
  let at = 0;
  return { states: head.states, pairs: head.iterations.map((n: number) => all.subarray(at, (at += 2 * n))) };
}

const pace = 700; // milliseconds of an iteration that is played
const faint = 0.25; // the strength of one visit
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** VisitsPanel is a map of where the agent was, iteration by iteration. */
export function VisitsPanel({ detail, query }: { detail: Detail; query: URLSearchParams }) {
  const run = detail.run;
  const long = detail.iterations * Number(detail.spec.steps) > 1 << 20; // the server counts no more
  const answer = useSteady<Visits>(long ? null : `/api/runs/${run}/visits`, readVisits);
  const world = useSteady<World>(`/api/runs/${run}/world`).data;
  const plane = usePlane(run, world);
  const folded = useMemo(() => {
    const seen = new Set(answer.data?.pairs.flatMap((p) => [...p].filter((_, i) => i % 2 === 0)));
    return world && answer.data && fold(world.axis, world.states, (s) => seen.has(s));
  }, [world, answer.data]);
  const plan = plane.plan ?? folded;
  return (
    <Panel id="visits" title="States visited" command={command("plot visits", label(detail), "-o", "visits.svg")} figure={{ name: "visits", of: [label(detail)] }}>
      {long && <Empty>The command draws so many steps.</Empty>}
      <Shown answer={answer} what="the visits">
        {(visits) => (plan ? <Grown visits={visits} plan={plan} until={query.get("visits")} /> : plane.error ? <Failed error={plane.error} /> : world && !plane.loading && <Empty>These states are too many to be drawn.</Empty>)}
      </Shown>
    </Panel>
  );
}

/** Grown is the map as it was after an iteration; it grows when it is played. */
function Grown({ visits, plan, until }: { visits: Visits; plan: Plan; until: string | null }) {
  const last = visits.pairs.length - 1;
  const [played, play] = useState<number | null>(null);
  const k = played ?? Math.max(0, Math.min(last, until === null ? last : Math.round(Number(until)) || 0));
  const { state } = useLit();
  useEffect(() => {
    if (played === null) return;
    const wait = setTimeout(() => {
      if (played < last) return play(played + 1);
      play(null);
      set({ visits: null });
    }, pace);
    return () => clearTimeout(wait);
  }, [played, last]);
  const { counts, fresh } = useMemo(() => count(visits, k), [visits, k]);
  const most = useMemo(() => largest(count(visits, last).counts), [visits]);
  const shade = (s: number) => {
    const n = counts.get(s);
    return n ? (fresh.has(s) ? -1 : 1) * (faint + ((1 - faint) * Math.log(n)) / Math.log(most + 1)) : 0;
  };
  const tell = (s: number) => `${spoken(plan, s)}: ${plural(counts.get(s) ?? 0, "visit")} by the end of iteration ${k}${fresh.has(s) ? ", the first in it" : ""}`;
  const choose = (at: number) => {
    play(null);
    set({ visits: at === last ? null : String(at) });
  };
  return (
    <>
      <div class="stepper">
        <button type="button" disabled={last < 1 || still.matches} title={still.matches ? "motion is reduced; the slider shows each iteration" : undefined} onClick={() => play(played === null ? 0 : null)} data-play>
          {played === null ? "play" : "stop"}
        </button>
        <label>
          iteration <input type="number" min={0} max={last} value={k} required onChange={(e) => e.currentTarget.reportValidity() && choose(e.currentTarget.valueAsNumber)} data-visits={k} />
        </label>
        <input type="range" class="grow" min={0} max={last} value={k} aria-label="iteration" onInput={(e) => choose(e.currentTarget.valueAsNumber)} />
        <span class="note">
          {whole(counts.size)} states, {whole(fresh.size)} of them new
        </span>
      </div>
      <MapView plan={plan} drawing={{ shade, marked: state }} label={`visits by the end of iteration ${k}`} tell={tell} ramp={[`first visited in iteration ${k}`, `up to ${plural(most, "visit")}, logarithmic`, true]} tallest={480} />
    </>
  );
}

/** count adds up the visits of iterations 0 to k, and tells the states first visited in k. */
function count({ pairs }: Visits, k: number): { counts: Map<number, number>; fresh: Set<number> } {
  const counts = new Map<number, number>();
  const fresh = new Set<number>();
  pairs.slice(0, k + 1).forEach((p, it) => {
    for (let i = 0; i < p.length; i += 2) {
      if (it === k && !counts.has(p[i]!)) fresh.add(p[i]!);
      counts.set(p[i]!, (counts.get(p[i]!) ?? 0) + p[i + 1]!);
    }
  });
  return { counts, fresh };
}

const largest = (counts: Map<number, number>) => [...counts.values()].reduce((a, b) => Math.max(a, b), 1);
