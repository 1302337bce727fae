import { command } from "../command";
import { Digest } from "../parts/copy";
import { Panel } from "../parts/panel";
import { Plotted } from "../parts/plotted";
import { numeric, Rows, sheet, type Column } from "../parts/table";
import { num, whole } from "../format";
import { decimals, meaningOf, ownOf, titleOf } from "../measure";
import type { Detail, Iteration, Measured } from "../types";
import { label } from "./fields";

const measures = ["purposes", "available", "calls", "truncated", "option_length", "reach", "distance", "final", "states_visited"];

const columns: Column<Iteration>[] = [
  { key: "k", title: "k", right: true, width: 6, sort: (it) => it.k, cell: (it) => it.k },
  { key: "link", title: "link", width: 16, value: (it) => it.link, cell: (it) => <Digest text={it.link} /> },
  { key: "steps", title: "steps", right: true, width: 12, sort: (it) => it.steps, cell: (it) => whole(it.steps) },
];

/** measured are the columns of measures, with as many decimals as tell the values of each apart. */
export function measured<R>(names: string[], rows: R[], value: (row: R, measure: string) => number | null): Column<R>[] {
  return names.map((name) => {
    const digits = decimals(rows.map((row) => value(row, name)));
    return numeric(name, titleOf(name), (row) => value(row, name), (x) => num(x, digits), meaningOf(name) ?? "measured by the program of the stage measure");
  });
}

/** valueOf is a measure of an iteration, which may be one of a stage of one's own. */
export const valueOf = (it: Iteration | Measured, measure: string) => ((it as Measured)[measure] ?? (it as Iteration).external_measures?.[measure] ?? null) as number | null;

/** Measures are an iteration a row, with a figure of those most asked for and those of a stage of one's own. */
export function Measures({ detail }: { detail: Detail }) {
  const { history } = detail;
  const own = ownOf([detail]);
  const all = [...columns, ...measured([...measures, ...own], history, valueOf)];
  const drawn = ["purposes", "distance", "states_visited", ...own].filter((m) => history.some((it) => valueOf(it, m) !== null));
  const figure = { name: "measures", of: [label(detail)], flags: { measure: drawn.join() } };
  return (
    <Panel id="measures" figure={figure} title="Measures by iteration" command={command("show", label(detail))} files={{ name: `${label(detail)}-measures`, json: history, csv: sheet(all, history) }}>
      <div class="halves table">
        {history.length > 1 && <Plotted figure={figure} on={detail.head} most={5} />}
        <Rows label="measures by iteration" columns={all} rows={detail.status === "running" ? history.toReversed() : history} />
      </div>
    </Panel>
  );
}
