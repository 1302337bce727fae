import { useMemo } from "preact/hooks";
import { command } from "../command";
import { Digest } from "../parts/copy";
import { Chart, left, wholes } from "../parts/chart";
import { Panel } from "../parts/panel";
import { numeric, Rows, sheet, type Column } from "../parts/table";
import { num, whole } from "../format";
import { decimals, labelOf, meaningOf, ownOf, titleOf } from "../measure";
import { colour } from "../theme";
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

/** Measures are an iteration a row, and the most asked for, and those of a stage of one's own, as lines. */
export function Measures({ detail }: { detail: Detail }) {
  const { history } = detail;
  const own = ownOf([detail]);
  const all = [...columns, ...measured([...measures, ...own], history, valueOf)];
  return (
    <Panel id="measures" figure={detail.env === "rows" ? undefined : { name: "coverage", of: [label(detail)] }} title="Measures by iteration" command={command("show", label(detail))} files={{ name: `${label(detail)}-measures`, json: history, csv: sheet(all, history) }}>
      <Lines rows={history} measures={["purposes", "distance", "states_visited", ...own]} value={valueOf} />
      <Rows label="measures by iteration" columns={all} rows={detail.status === "running" ? history.toReversed() : history} />
    </Panel>
  );
}

/** Lines draws the measures that some iteration has as lines, if there are two iterations. */
export function Lines<R extends { k: number }>({ rows, measures, value }: { rows: R[]; measures: string[]; value: (row: R, measure: string) => number | null }) {
  if (rows.length < 2) return null;
  const some = measures.filter((m) => rows.some((row) => value(row, m) !== null));
  return (
    <div class="multiples">
      {some.map((m) => (
        <Line key={m} rows={rows} measure={m} value={(row) => value(row, m)} />
      ))}
    </div>
  );
}

/** Line draws a measure by iteration, in small. */
function Line<R extends { k: number }>({ rows, measure, value }: { rows: R[]; measure: string; value: (row: R) => number | null }) {
  const data = useMemo((): uPlot.AlignedData => [rows.map((it) => it.k), rows.map(value)], [rows]);
  const build = () => ({
    scales: { x: { time: false }, y: { range: (_: uPlot, low: number, high: number): [number, number] => [Math.min(0, low), high > 0 ? high * 1.1 : 1] } },
    axes: [wholes(""), left("", { space: 36 })],
    series: [{ label: "k" }, { label: titleOf(measure), stroke: colour("accent"), width: 2, points: { show: data[0].length < 40, size: 6, fill: colour("accent") } }],
    cursor: { drag: { x: false, y: false } },
  });
  return (
    <figure>
      <figcaption title={meaningOf(measure)}>{labelOf(measure)}</figcaption>
      <Chart label={`${titleOf(measure)} by iteration; the table below has the numbers`} build={build} of={[data]} data={data} height={130} />
    </figure>
  );
}
