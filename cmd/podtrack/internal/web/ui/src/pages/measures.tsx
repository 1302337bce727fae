import { useMemo } from "preact/hooks";
import { command } from "../command";
import { Digest } from "../parts/copy";
import { Chart, left, wholes } from "../parts/chart";
import { Panel } from "../parts/panel";
import { Rows, sheet, type Column } from "../parts/table";
import { num, whole } from "../format";
import { decimals, labelOf, meaningOf, ownOf, titleOf } from "../measure";
import { colour } from "../theme";
import type { Detail, Iteration } from "../types";
import { label } from "./fields";

type Measure = Exclude<{ [F in keyof Iteration]: Iteration[F] extends number | null ? F : never }[keyof Iteration], undefined>;

/** measures are those of an iteration that the page shows, with how many decimals they have. */
export const measures: [Measure, number][] = [
  ["purposes", 0],
  ["available", 0],
  ["calls", 0],
  ["truncated", 0],
  ["option_length", 1],
  ["reach", 1],
  ["distance", 0],
  ["final", 0],
  ["states_visited", 0],
];

const columns: Column<Iteration>[] = [
  { key: "k", title: "k", right: true, width: 6, sort: (it) => it.k, cell: (it) => it.k },
  { key: "link", title: "link", width: 16, value: (it) => it.link, cell: (it) => <Digest text={it.link} /> },
  { key: "steps", title: "steps", right: true, width: 12, sort: (it) => it.steps, cell: (it) => whole(it.steps) },
  ...measures.map(
    ([key, digits]): Column<Iteration> => ({
      key,
      title: titleOf(key),
      help: meaningOf(key),
      right: true,
      width: titleOf(key).length + 5,
      sort: (it) => it[key],
      cell: (it) => num(it[key], digits),
    }),
  ),
];

/** ownColumn is that of a measure of a stage of one's own, with as many decimals as tell its values apart. */
function ownColumn(name: string, history: Iteration[]): Column<Iteration> & { sort: (it: Iteration) => number | null } {
  const sort = (it: Iteration) => it.external_measures?.[name] ?? null;
  const digits = decimals(history.map(sort));
  return { key: name, title: name, help: "measured by the program of the stage measure", right: true, width: name.length + 5, sort, cell: (it) => num(sort(it), digits) };
}

const drawn: Measure[] = ["purposes", "distance", "states_visited"];

/** Measures are an iteration a row, and the most asked for, and those of a stage of one's own, as lines. */
export function Measures({ detail }: { detail: Detail }) {
  const own = useMemo(() => ownOf([detail]).map((name) => ownColumn(name, detail.history)), [detail]);
  const all = [...columns, ...own];
  const table = sheet(all, detail.history);
  return (
    <Panel id="measures" figure={detail.env === "rows" ? undefined : { name: "coverage", of: [label(detail)] }} title="Measures by iteration" command={command("show", label(detail))} files={{ name: `${label(detail)}-measures`, json: detail.history, csv: table }}>
      {detail.history.length > 1 && (
        <div class="multiples">
          {drawn.filter((m) => detail.history.some((it) => it[m] !== null)).map((m) => (
            <Line key={m} rows={detail.history} measure={m} value={(it) => it[m]} />
          ))}
          {own.map((c) => (
            <Line key={c.key} rows={detail.history} measure={c.key} value={c.sort} />
          ))}
        </div>
      )}
      <Rows label="measures by iteration" columns={all} rows={detail.status === "running" ? detail.history.toReversed() : detail.history} />
    </Panel>
  );
}

/** Line draws a measure by iteration, in small. */
export function Line<R extends { k: number }>({ rows, measure, value }: { rows: R[]; measure: string; value: (row: R) => number | null }) {
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
