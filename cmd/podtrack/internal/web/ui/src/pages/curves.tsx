import { command } from "../command";
import { labelOf } from "../measure";
import { Panel } from "../parts/panel";
import { Plotted } from "../parts/plotted";
import { set } from "../router";

/** Curves lays groups of runs on each other, those that flags tell of the runs of: a measure by iteration, if there is one, or their coverage or walks. */
export function Curves({ of, flags, measure, query }: { of: string[]; flags: Record<string, string>; measure?: string; query: URLSearchParams }) {
  const kinds: [string, string, string][] = [
    ["coverage", "coverage", "states visited over time"],
    ["distance", "walk", "distance from the first state"],
  ];
  if (measure) kinds.unshift(["measure", "measures", `${labelOf(measure)} by iteration`]);
  const [kind, name] = kinds.find(([kind]) => kind === query.get("curve")) ?? kinds[0]!;
  const each = query.has("each");
  const all: Record<string, string> = { ...flags, ...(name === "measures" ? { measure: measure! } : {}), ...(each ? { "each-run": "true" } : {}) };
  const figure = { name, of, flags: all };
  const words = Object.entries(all).flatMap(([flag, value]) => (value === "true" ? [`--${flag}`] : [`--${flag}`, value]));
  return (
    <Panel
      id="curves"
      title="Curves"
      aside={
        <>
          <select value={kind} onChange={(e) => set({ curve: e.currentTarget.value })} aria-label="what is drawn">
            {kinds.map(([kind, , text]) => (
              <option key={kind} value={kind}>
                {text}
              </option>
            ))}
          </select>{" "}
          <label>
            <input type="checkbox" checked={each} onChange={() => set({ each: each ? null : "run" })} /> each run
          </label>
        </>
      }
      command={command("plot", name, ...words, ...of, "-o", `${name}.svg`)}
      figure={figure}
    >
      <Plotted figure={figure} />
    </Panel>
  );
}
