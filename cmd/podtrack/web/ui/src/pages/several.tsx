import { command } from "../command";
import { Panel } from "../parts/panel";
import { Rows, sheet, type Column } from "../parts/table";
import { num, plural } from "../format";
import { parameters } from "../links";
import { labelOf } from "../measure";
import type { Compared, Estimate, Several } from "../types-compare";

type Row = { k: number; group: string; of: Compared };

const letter = (i: number) => String.fromCharCode(97 + (i % 26)) + (i < 26 ? "" : Math.floor(i / 26));
const interval = (e: Estimate | null | undefined) => (!e ? "–" : `${num(e.value, 2)}${e.interval_low === null ? "" : ` [${num(e.interval_low, 2)}, ${num(e.interval_high, 2)}]`}`);
const pValue = (p: number | null | undefined) => (p == null ? "–" : p < 0.001 ? "< 0.001" : num(p, 3));

const columns: Column<Row>[] = [
  { key: "k", title: "k", right: true, sort: (r) => r.k, cell: (r) => r.k },
  { key: "group", title: "group", sort: (r) => r.group, cell: (r) => r.group },
  { key: "n", title: "n", right: true, sort: (r) => r.of.n, cell: (r) => r.of.n },
  { key: "mean", title: "mean ± sd", right: true, sort: (r) => r.of.mean, cell: (r) => (r.of.mean === null ? "–" : `${num(r.of.mean, 2)} ± ${num(r.of.sd, 2)}`) },
  { key: "difference", title: "difference [interval]", right: true, sort: (r) => r.of.against_baseline?.difference?.value ?? null, cell: (r) => interval(r.of.against_baseline?.difference) },
  { key: "improvement", title: "P(more) [interval]", right: true, sort: (r) => r.of.against_baseline?.improvement?.value ?? null, cell: (r) => interval(r.of.against_baseline?.improvement) },
  { key: "p", title: "p (Holm)", right: true, sort: (r) => r.of.against_baseline?.p_holm ?? null, cell: (r) => pValue(r.of.against_baseline?.p_holm) },
];

/** SeveralGroups sets groups of runs beside the first of them, measure by measure. */
export function SeveralGroups({ compare, filters, paired }: { compare: Several; filters: string[]; paired: string }) {
  return (
    <>
      <Panel
        id="groups"
        title="Groups"
        command={command("compare", ...filters, ...(paired ? ["--paired", paired] : []))}
        files={{ name: "compare", json: compare }}
        figure={{ name: "compare", of: filters, flags: paired ? { paired } : undefined }}
      >
        {compare.groups.map((g, i) => (
          <p class="note">
            {letter(i)}: <a href={`/?${parameters("q", g.filter)}`}>{plural(g.runs.length, "run")}</a>, {g.filter}
            {i === 0 && " (baseline)"}
          </p>
        ))}
      </Panel>
      {compare.measures.map((m) => {
        const rows = m.iterations.flatMap(({ k, groups }) => groups.map((of, i) => ({ k, group: letter(i), of })));
        return (
          <Panel key={m.measure} id={m.measure} title={labelOf(m.measure)} files={{ name: `compare-${m.measure}`, csv: sheet(columns, rows) }}>
            <Rows label={`${m.measure} by iteration and group`} columns={columns} rows={rows} />
          </Panel>
        );
      })}
      <p class="note">
        Differences from a. Intervals: {num(100 * compare.each_level, 1)} % each, so that all hold together at {num(100 * compare.level, 0)} % (Bonferroni); of the difference {compare.intervals.difference}, of P(more){" "}
        {compare.intervals.improvement}.
      </p>
    </>
  );
}
