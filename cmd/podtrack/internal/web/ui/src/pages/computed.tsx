import { heavyPause, useAnswer } from "../api";
import { command } from "../command";
import { Panel } from "../parts/panel";
import { Empty, Shown } from "../parts/states";
import { Rows, sheet, type Column } from "../parts/table";
import { num, whole } from "../format";
import { explorationMeasures } from "../measures";
import { set } from "../router";
import type { Detail, Exploration, Measured } from "../types";
import { label } from "./fields";
import { Lines, measured, valueOf } from "./measures";

/** Computed is what follows from all steps of a run, iteration by iteration. */
interface Computed<A> {
  name: string; // of the panel, its parameter of the address, its flag, and in the API
  title: string;
  subject: string;
  measures: string[];
  drawn: string[];
  figure?: string;
  rows: (answer: A) => Measured[];
  note: (answer: A) => string;
}

export const exploration: Computed<Exploration> = {
  name: "exploration",
  title: "Exploration",
  subject: "how the run explored",
  measures: Object.keys(explorationMeasures).filter((m) => !m.startsWith("steps_to")),
  drawn: ["covered", "entropy", "end_sets"],
  figure: "visits",
  rows: (x) => x.iterations.map(({ options, ...it }) => ({ ...it, ...options })),
  note: (x) => {
    const parts = [["a quarter", x.steps_to_quarter], ["half", x.steps_to_half], ["all", x.steps_to_all]] as const;
    const known = x.states === null ? "" : ` of ${whole(x.states)}`;
    const pruned = x.iterations.some((it) => it.options_pruned) ? " Options are pruned, and what follows from them is left out." : "";
    return `Covered: ${num(x.covered, 0)}${known} states in ${whole(x.steps)} steps${known && parts.map(([name, steps]) => `; ${name} ${steps === null ? "not yet" : `after ${whole(steps)}`}`).join("")}.${pruned}`;
  },
};

const atOnce = 1_000_000; // steps: of so many it takes some milliseconds

const first: Column<Measured> = { key: "k", title: "k", right: true, width: 6, sort: (r) => r.k, cell: (r) => r.k };

/** ComputedPanel shows what is computed from the steps of a run: of many steps when it is asked for. */
export function ComputedPanel<A>({ of, detail, query }: { of: Computed<A>; detail: Detail; query: URLSearchParams }) {
  const wanted = query.has(of.name) || detail.history.reduce((sum, it) => sum + it.steps, 0) <= atOnce;
  const answer = useAnswer<A>(wanted ? `/api/runs/${detail.run}/${of.name}` : null, undefined, heavyPause, detail.head);
  const rows = answer.data ? of.rows(answer.data) : [];
  const columns = [first, ...measured(of.measures, rows, valueOf)];
  return (
    <Panel
      id={of.name}
      title={of.title}
      figure={of.figure ? { name: of.figure, of: [label(detail)] } : undefined}
      command={command("show", label(detail), `--${of.name}`)}
      files={answer.data && { name: `${label(detail)}-${of.name}`, json: answer.data, csv: sheet(columns, rows) }}
    >
      {wanted ? (
        <Shown answer={answer} what={of.subject}>
          {(data) => (
            <>
              <Lines rows={rows} measures={of.drawn} value={valueOf} />
              <Rows label={`${of.name} by iteration`} columns={columns} rows={rows} />
              <p class="note">{of.note(data)}</p>
            </>
          )}
        </Shown>
      ) : (
        <Empty>
          It takes all steps of the run to compute {of.subject}.{" "}
          <button type="button" onClick={() => set({ [of.name]: "1" })}>
            compute it
          </button>
        </Empty>
      )}
    </Panel>
  );
}
