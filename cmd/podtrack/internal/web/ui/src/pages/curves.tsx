import { command } from "../command";
import { labelOf } from "../measure";
import type { Figure } from "../parts/figures";
import { Panel } from "../parts/panel";
import { Plotted } from "../parts/plotted";
import { set } from "../router";

/** Curves lays groups of the runs of a filter on each other, split by fields: a measure by iteration, if there is one, or their coverage. */
export function Curves({ of, by, measure, query }: { of: string[]; by: string; measure?: string; query: URLSearchParams }) {
  const measured = measure && query.get("curve") !== "coverage";
  const figure: Figure = measured ? { name: "measures", of, flags: { by, measure } } : { name: "coverage", of, flags: { by } };
  const words = Object.entries(figure.flags!).flatMap(([flag, value]) => [`--${flag}`, value]);
  return (
    <Panel
      id="curves"
      title="Curves"
      aside={
        measure ? (
          <select value={measured ? "measure" : "coverage"} onChange={(e) => set({ curve: e.currentTarget.value })} aria-label="what is drawn">
            <option value="measure">{labelOf(measure)} by iteration</option>
            <option value="coverage">states visited over time</option>
          </select>
        ) : (
          "states visited over time"
        )
      }
      command={command("plot", figure.name, ...words, ...of, "-o", `${figure.name}.svg`)}
      figure={figure}
    >
      <Plotted figure={figure} />
    </Panel>
  );
}
