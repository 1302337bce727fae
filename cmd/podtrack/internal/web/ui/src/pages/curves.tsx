import { command } from "../command";
import type { Figure } from "../parts/figures";
import { Panel } from "../parts/panel";
import { Plotted } from "../parts/plotted";
import { set } from "../router";

/** Curves lays the coverage or the walks of groups of runs on each other: those that flags tell of the runs of. */
export function Curves({ of, flags, query }: { of: string[]; flags: Record<string, string>; query: URLSearchParams }) {
  const curve = query.get("curve") === "distance" ? "distance" : "coverage";
  const name = curve === "distance" ? "walk" : "coverage";
  const figure: Figure = { name, of, flags };
  const words = Object.entries(flags).flatMap(([flag, value]) => (value === "true" ? [`--${flag}`] : [`--${flag}`, value]));
  return (
    <Panel
      id="curves"
      title={curve === "coverage" ? "Coverage over time" : "Walks"}
      aside={
        <select value={curve} onChange={(e) => set({ curve: e.currentTarget.value })} aria-label="what is drawn over the steps">
          <option value="coverage">states visited</option>
          <option value="distance">distance from the first state</option>
        </select>
      }
      command={command("plot", name, ...words, ...of, "-o", `${name}.svg`)}
      figure={figure}
    >
      <Plotted figure={figure} />
    </Panel>
  );
}
