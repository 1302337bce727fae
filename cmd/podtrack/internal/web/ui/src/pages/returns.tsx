import { heavyPause, useAnswer } from "../api";
import { command } from "../command";
import { Panel } from "../parts/panel";
import { Empty, Shown } from "../parts/states";
import { Rows, sheet, type Column } from "../parts/table";
import { num } from "../format";
import { decimals, titleOf } from "../measure";
import { returnMeasures } from "../measures";
import { set } from "../router";
import type { Detail, Returns } from "../types";
import { label } from "./fields";
import { Line } from "./measures";

type Row = Returns["iterations"][number];

const measures = Object.keys(returnMeasures) as (keyof typeof returnMeasures)[];

const columnsOf = (rows: Row[]): Column<Row>[] => [
  { key: "k", title: "k", right: true, width: 6, sort: (r) => r.k, cell: (r) => r.k },
  ...measures.map((key): Column<Row> => {
    const digits = decimals(rows.map((r) => r[key]));
    return { key, title: titleOf(key), right: true, width: titleOf(key).length + 5, sort: (r) => r[key], cell: (r) => num(r[key], digits) };
  }),
];

const atOnce = 1_000_000; // steps: of so many it takes some milliseconds

/** ReturnsPanel is what the agent earned, which is computed from the rewards: of many steps when it is asked for. */
export function ReturnsPanel({ detail, asked }: { detail: Detail; asked: boolean }) {
  const wanted = asked || detail.history.reduce((sum, it) => sum + it.steps, 0) <= atOnce;
  const answer = useAnswer<Returns>(wanted ? `/api/runs/${detail.run}/returns` : null, undefined, heavyPause, detail.head);
  const rows = answer.data?.iterations;
  return (
    <Panel id="returns" title="Returns" command={command("show", label(detail), "--returns")} files={rows && { name: `${label(detail)}-returns`, json: answer.data, csv: sheet(columnsOf(rows), rows) }}>
      {wanted ? (
        <Shown answer={answer} what="what the agent earned">
          {(x) => (
            <>
              {x.iterations.length > 1 && (
                <div class="multiples">
                  {(["episodes", "mean_return", "mean_reward"] as const).map((m) => (
                    <Line key={m} rows={x.iterations} measure={m} value={(it) => it[m]} />
                  ))}
                </div>
              )}
              <Rows label="returns by iteration" columns={columnsOf(x.iterations)} rows={x.iterations} />
              <p class="note">Returns are sums of the environment's rewards over an episode, not discounted. Options are not learned from them.</p>
            </>
          )}
        </Shown>
      ) : (
        <Empty>
          What the agent earned is computed from all of its steps.{" "}
          <button type="button" onClick={() => set({ returns: "1" })}>
            compute it
          </button>
        </Empty>
      )}
    </Panel>
  );
}
