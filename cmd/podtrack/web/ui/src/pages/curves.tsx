import { useMemo } from "preact/hooks";
import { heavyPause, useSteady } from "../api";
import { command } from "../command";
import { BandChart } from "../parts/bandchart";
import { Panel } from "../parts/panel";
import { Shown } from "../parts/states";
import { num, plural, whole } from "../format";
import { set } from "../router";
import type { Bands } from "../types-compare";
import { alone, nameOf, someAlone } from "./compared";

const curves: Record<string, [string, string]> = { coverage: ["coverage", "distinct states visited"], distance: ["walk", "distance from the first state (steps)"] };

/** Curves overlays the coverage or the walks of groups of runs, or of single runs; of is how the API is asked for them. */
export function Curves({ of, q, query, by = of.get("by") }: { of: URLSearchParams; q: string[]; query: URLSearchParams; by?: string | null }) {
  const curve = query.get("curve") === "distance" ? "distance" : "coverage";
  const [figure, up] = curves[curve]!;
  const answer = useSteady<Bands>(`/api/bands?${of}&curve=${curve}`, undefined, heavyPause);
  const line = by && q.length ? command("plot", figure, ...q, "--by", by, "-o", `${figure}.svg`) : undefined;
  return (
    <Panel
      id="curves"
      title={curve === "coverage" ? "Coverage over time" : "Walks"}
      aside={
        <select value={curve} onChange={(e) => set({ curve: e.currentTarget.value })} aria-label="what is drawn over the steps">
          <option value="coverage">states visited</option>
          <option value="distance" disabled={answer.data?.distances === false}>
            distance from the first state
          </option>
        </select>
      }
      command={line}
      figure={line ? { name: figure, of: q, flags: { by: by! } } : undefined}
      files={answer.data && { name: curve, json: answer.data, csv: sheetOf(answer.data) }}
    >
      <Shown answer={answer} what="the steps of all these runs">
        {(b) => <Drawn bands={b} by={b.by ?? (by ? [by] : [])} up={up} />}
      </Shown>
    </Panel>
  );
}

function Drawn({ bands: b, by, up }: { bands: Bands; by: string[]; up: string }) {
  const bands = useMemo(() => b.groups.map((g, i) => ({ name: nameOf(g, i, by), mean: g.mean, low: g.interval_low, high: g.interval_high })), [b]);
  const runs = b.groups.reduce((n, g) => n + g.runs.length, 0);
  return (
    <>
      <BandChart label={`${up} over the steps of ${plural(runs, "run")}; CSV has the numbers`} x={b.steps} across="step" up={up} bands={bands} digits={1} height={280} />
      <p class="note">
        {alone(b.groups) || `Means of ${plural(runs, "run")}, bands: ${num(100 * b.level, 0)} % interval of each mean (${b.interval}), at each step by itself.${someAlone(b.groups)}`} {b.observed ? "States seen" : "States"}: {b.states.map(whole).join(", ")}.
      </p>
    </>
  );
}

function sheetOf(b: Bands) {
  const head = [...(b.by ?? ["group"]), "step", "n", "mean", "interval_low", "interval_high"];
  return { head, rows: b.groups.flatMap((g, n) => b.steps.map((step, i) => [...(g.values ?? [nameOf(g, n, [])]), step, g.n[i], g.mean[i], g.interval_low[i], g.interval_high[i]])) };
}
