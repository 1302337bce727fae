import { heavyPause, useAnswer } from "../api";
import { command } from "../command";
import { Panel } from "../parts/panel";
import { Empty, Shown } from "../parts/states";
import { Rows, sheet, type Column } from "../parts/table";
import { num, whole } from "../format";
import { titleOf } from "../measure";
import { set } from "../router";
import type { Detail, Exploration } from "../types";
import { label } from "./fields";
import { Line } from "./measures";

interface Row {
  k: number;
  covered: number | null;
  covered_share: number | null;
  new_states: number | null;
  entropy: number | null;
  entropy_normalised: number | null;
  end_sets: number | null;
  initiation_overlap: number | null;
  termination_overlap: number | null;
  start_share: number | null;
}

type Measure = Exclude<keyof Row, "k">;

const counts = ["covered", "new_states", "end_sets"];

const measures: Measure[] = ["covered", "covered_share", "new_states", "entropy", "entropy_normalised", "end_sets", "initiation_overlap", "termination_overlap", "start_share"];

const columns: Column<Row>[] = [
  { key: "k", title: "k", right: true, width: 6, sort: (r) => r.k, cell: (r) => r.k },
  ...measures.map((key): Column<Row> => ({ key, title: titleOf(key), right: true, width: titleOf(key).length + 5, sort: (r) => r[key], cell: (r) => num(r[key], counts.includes(key) ? 0 : 3) })),
];

const atOnce = 1_000_000; // steps: of so many it takes some milliseconds

/** ExplorationPanel is how the run explored, which is computed from its records: of many steps when it is asked for. */
export function ExplorationPanel({ detail, asked }: { detail: Detail; asked: boolean }) {
  const wanted = asked || detail.history.reduce((sum, it) => sum + it.steps, 0) <= atOnce;
  const answer = useAnswer<Exploration>(wanted ? `/api/runs/${detail.run}/exploration` : null, undefined, heavyPause, detail.head);
  const rows = answer.data?.iterations.map(({ options, ...it }): Row => ({ end_sets: null, initiation_overlap: null, termination_overlap: null, start_share: null, ...it, ...options }));
  return (
    <Panel id="exploration" title="Exploration" figure={{ name: "visits", of: [label(detail)] }} command={command("show", label(detail), "--exploration")} files={rows && { name: `${label(detail)}-exploration`, json: answer.data, csv: sheet(columns, rows) }}>
      {wanted ? (
        <Shown answer={answer} what="how the run explored">
          {(x) => (
            <>
              {rows!.length > 1 && (
                <div class="multiples">
                  {(["covered", "entropy", "end_sets"] as const).map((m) => (
                    <Line key={m} rows={rows!} measure={m} value={(it) => it[m]} />
                  ))}
                </div>
              )}
              <Rows label="measures of exploration by iteration" columns={columns} rows={rows!} />
              <p class="note">{text(x)}</p>
            </>
          )}
        </Shown>
      ) : (
        <Empty>
          How the run explored is computed from all of its steps.{" "}
          <button type="button" onClick={() => set({ exploration: "1" })} data-explore>
            compute it
          </button>
        </Empty>
      )}
    </Panel>
  );
}

/** text says which states the run covered, and how fast. */
function text(x: Exploration): string {
  const parts = [["a quarter", x.steps_to_quarter], ["half", x.steps_to_half], ["all", x.steps_to_all]] as const;
  const known = x.states === null ? "" : ` of ${whole(x.states)}`;
  const pruned = x.iterations.some((it) => it.options_pruned) ? " Options are pruned, and what follows from them is left out." : "";
  return `Covered: ${num(x.covered, 0)}${known} states in ${whole(x.steps)} steps${known && parts.map(([name, steps]) => `; ${name} ${steps === null ? "not yet" : `after ${whole(steps)}`}`).join("")}.${pruned}`;
}
