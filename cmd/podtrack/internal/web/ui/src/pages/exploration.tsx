import { heavyPause, useAnswer } from "../api";
import { command } from "../command";
import { Panel } from "../parts/panel";
import { Plotted } from "../parts/plotted";
import { Empty, Shown } from "../parts/states";
import { Rows, sheet, type Column } from "../parts/table";
import { num, whole } from "../format";
import { explorationMeasures } from "../measures";
import { set } from "../router";
import type { Detail, Exploration, Measured } from "../types";
import { label } from "./fields";
import { measured, valueOf } from "./measures";

const measures = Object.keys(explorationMeasures).filter((m) => !m.startsWith("steps_to"));

const atOnce = 1_000_000; // steps: of so many it takes some milliseconds

const first: Column<Measured> = { key: "k", title: "k", right: true, width: 6, sort: (r) => r.k, cell: (r) => r.k };

/** ExplorationPanel shows how a run explored, which takes all of its steps: of many when it is asked for. */
export function ExplorationPanel({ detail, query }: { detail: Detail; query: URLSearchParams }) {
  const wanted = query.has("exploration") || detail.history.reduce((sum, it) => sum + it.steps, 0) <= atOnce;
  const answer = useAnswer<Exploration>(wanted ? `/api/runs/${detail.run}/exploration` : null, undefined, heavyPause, detail.head);
  const rows: Measured[] = answer.data?.iterations.map(({ options, ...it }) => ({ ...it, ...options })) ?? [];
  const columns = [first, ...measured(measures, rows, valueOf)];
  const figure = { name: "coverage", of: [label(detail)] };
  return (
    <Panel id="exploration" title="Exploration" figure={figure} command={command("show", label(detail), "--exploration")} files={answer.data && { name: `${label(detail)}-exploration`, json: answer.data, csv: sheet(columns, rows) }}>
      {wanted ? (
        <Shown answer={answer} what="how the run explored">
          {(data) => (
            <>
              <Plotted figure={figure} on={detail.head} />
              <Rows label="exploration by iteration" columns={columns} rows={rows} />
              <p class="note">{told(data)}</p>
            </>
          )}
        </Shown>
      ) : (
        <Empty>
          It takes all steps of the run to compute how the run explored.{" "}
          <button type="button" onClick={() => set({ exploration: "1" })}>
            compute it
          </button>
        </Empty>
      )}
    </Panel>
  );
}

/** told says how far the run has got. */
function told(x: Exploration): string {
  const parts = [["a quarter", x.steps_to_quarter], ["half", x.steps_to_half], ["all", x.steps_to_all]] as const;
  const known = x.states === null ? "" : ` of ${whole(x.states)}`;
  const pruned = x.iterations.some((it) => it.options_pruned) ? " Options are pruned, and what follows from them is left out." : "";
  return `Covered: ${num(x.covered, 0)}${known} states in ${whole(x.steps)} steps${known && parts.map(([name, steps]) => `; ${name} ${steps === null ? "not yet" : `after ${whole(steps)}`}`).join("")}.${pruned}`;
}
