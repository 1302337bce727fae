import { useMemo } from "preact/hooks";
import { BandChart } from "../parts/bandchart";
import { Panel } from "../parts/panel";
import { plural, whole } from "../format";
import { set } from "../router";
import type { Curves, Estimate } from "../types-evaluation";

/** armName is what an arm of an evaluation is called. */
export const armName = (name: string) => ({ primitives: "primitive actions", "random-own": "random options", hallways: "hallway options" })[name] ?? name;

const inks: Record<string, number> = { options: 0, primitives: 1, "random-own": 2, hallways: 4 };

/** Curve draws learning curves with their intervals. */
export function Curve({ curves, of, evaluation, command, shows, seeds, limit, reward }: { curves: Curves; of: string; evaluation: string; command: string; shows: "return" | "steps"; seeds: number; limit: number; reward: boolean }) {
  const bands = useMemo(
    () => curves.arms.map((a) => ({ name: armName(a.name), ink: inks[a.name] ?? 3, mean: values(a[shows], "value"), low: values(a[shows], "interval_low"), high: values(a[shows], "interval_high") })),
    [curves, shows],
  );
  const steps = reward ? "steps of an episode" : "steps to the goal";
  const csv = {
    head: ["episode", "with", "return", "return_low", "return_high", "steps", "steps_low", "steps_high"],
    rows: curves.arms.flatMap((a) => curves.episodes.map((n, i) => [n, a.name, ...[a.return[i], a.steps[i]].flatMap((e) => [e?.value, e?.interval_low, e?.interval_high])])),
  };
  const choice = (
    <label>
      shows{" "}
      <select value={shows} onChange={(e) => set({ shows: e.currentTarget.value === "steps" ? "steps" : null })} data-shows>
        <option value="return">returns</option>
        <option value="steps">{steps}</option>
      </select>
    </label>
  );
  return (
    <Panel id="curves" title="Learning curves" aside={choice} command={command} files={{ name: `${of.replace(":", "-")}-curves`, csv }} figure={{ name: "evaluation", of: [of], flags: { evaluation } }}>
      <p class="note">
        {seeds > 1 ? `mean of ${plural(seeds, "seed")}, shaded: its 95 % interval` : "one seed, which has no interval"}
        {curves.window > 1 ? `; each point is the mean of ${whole(curves.window)} episodes` : ""}
        {shows === "steps" ? `; an episode that ${reward ? "is truncated" : "does not get there"} counts ${whole(limit)}` : ""}
      </p>
      <BandChart label={`${shows === "return" ? (reward ? "return" : "discounted return") : steps} by episode; the table below has the means`} x={curves.episodes} across="episode" up={shows === "return" ? "return" : "steps"} bands={bands} digits={shows === "return" ? 3 : 1} height={300} range={range} />
    </Panel>
  );
}

const values = (of: (Estimate | null)[], part: keyof Estimate) => of.map((e) => e?.[part] ?? null);

/** range begins or ends at 0. */
const range = (low: number, high: number): [number, number] => [low < 0 ? low * 1.05 : 0, high > 0 ? high * 1.05 : low < 0 ? 0 : 1];
