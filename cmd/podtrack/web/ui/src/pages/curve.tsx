import { useMemo } from "preact/hooks";
import uPlot from "uplot";
import { Chart, left, room, wholes } from "../parts/chart";
import { Panel } from "../parts/panel";
import { plural, whole } from "../format";
import { set } from "../router";
import { colour, useTheme } from "../theme";
import type { Curves } from "../types-evaluation";

/** armName is what an arm of an evaluation is called. */
export const armName = (name: string) => ({ primitives: "primitive actions", random: "random options", "random-own": "random options", hallways: "hallway options" })[name] ?? name;

const hues: Record<string, string> = { options: "series-0", primitives: "series-1", random: "series-2", "random-own": "series-2", hallways: "series-4" };
const hue = (name: string) => colour(hues[name] ?? "series-3");

/** Curve draws learning curves with their intervals. */
export function Curve({ curves, of, evaluation, command, shows, seeds, limit, reward }: { curves: Curves; of: string; evaluation: string; command: string; shows: "return" | "steps"; seeds: number; limit: number; reward: boolean }) {
  useTheme(); // the colours depend on it
  const data = useMemo(
    (): uPlot.AlignedData => [
      curves.episodes,
      ...curves.arms.flatMap((a) => [a[shows].map((e) => e?.value ?? null), a[shows].map((e) => e?.interval_low ?? e?.value ?? null), a[shows].map((e) => e?.interval_high ?? e?.value ?? null)]),
    ],
    [curves, shows],
  );
  const steps = reward ? "steps of an episode" : "steps to the goal";
  const build = () => options(curves, shows);
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
      <p class="legend">
        {curves.arms.map((a) => (
          <span key={a.name}>
            <i style={{ background: hue(a.name) }} aria-hidden="true" /> {armName(a.name)}
          </span>
        ))}
        <span class="note">
          {seeds > 1 ? `mean of ${plural(seeds, "seed")}, shaded: its 95 % interval` : "one seed, which has no interval"}
          {curves.window > 1 ? `; each point is the mean of ${whole(curves.window)} episodes` : ""}
          {shows === "steps" ? `; an episode that ${reward ? "is truncated" : "does not get there"} counts ${whole(limit)}` : ""}
        </span>
      </p>
      <Chart label={`${shows === "return" ? (reward ? "return" : "discounted return") : steps} by episode; the table below has the means`} build={build} of={[curves.arms.length, shows]} data={data} height={300} />
    </Panel>
  );
}

function options(curves: Curves, shows: "return" | "steps"): Omit<uPlot.Options, "width" | "height"> {
  const quiet = { stroke: "transparent", width: 0, points: { show: false } };
  return {
    padding: room,
    scales: { x: { time: false }, y: { range: (_, low, high) => [low < 0 ? low * 1.05 : 0, high > 0 ? high * 1.05 : low < 0 ? 0 : 1] } },
    axes: [wholes("episode"), left(shows === "return" ? "return" : "steps")],
    series: [
      { label: "episode" },
      ...curves.arms.flatMap((a) => [
        { label: armName(a.name), stroke: hue(a.name), width: 2, points: { show: curves.episodes.length < 3 } },
        quiet,
        quiet,
      ]),
    ],
    bands: curves.arms.map((a, i) => ({ series: [3 * i + 3, 3 * i + 2] as [number, number], fill: `color-mix(in srgb, ${hue(a.name)} 20%, transparent)` })),
    cursor: { drag: { x: true, y: false } },
  };
}
