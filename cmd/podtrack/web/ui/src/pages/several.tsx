import { command } from "../command";
import { Panel } from "../parts/panel";
import { Rows, sheet, type Column } from "../parts/table";
import { num, plural } from "../format";
import { parameters } from "../links";
import { digitsOf, labelOf } from "../measure";
import type { Compared, Estimate, Several } from "../types-compare";

type Row = { k: number; group: string; of: Compared };

const letter = (i: number) => String.fromCharCode(97 + (i % 26)) + (i < 26 ? "" : Math.floor(i / 26));
const interval = (e: Estimate | null | undefined, digits = 2) => (!e ? "–" : `${num(e.value, digits)}${e.interval_low === null ? "" : ` [${num(e.interval_low, digits)}, ${num(e.interval_high, digits)}]`}`);
const pValue = (p: number | null | undefined) => (p == null ? "–" : p < 0.001 ? "< 0.001" : num(p, 3));

const columnsFor = (digits: number): Column<Row>[] => [
  { key: "k", title: "k", right: true, sort: (r) => r.k, cell: (r) => r.k },
  { key: "group", title: "group", sort: (r) => r.group, cell: (r) => r.group },
  { key: "n", title: "n", right: true, sort: (r) => r.of.n, cell: (r) => r.of.n },
  { key: "mean", title: "mean ± sd", right: true, sort: (r) => r.of.mean, cell: (r) => (r.of.mean === null ? "–" : `${num(r.of.mean, digits)} ± ${num(r.of.sd, digits)}`) },
  { key: "difference", title: "difference [interval]", right: true, sort: (r) => r.of.against_baseline?.difference?.value ?? null, cell: (r) => interval(r.of.against_baseline?.difference, digits) },
  { key: "improvement", title: "P(more) [interval]", right: true, sort: (r) => r.of.against_baseline?.improvement?.value ?? null, cell: (r) => interval(r.of.against_baseline?.improvement) },
  { key: "p", title: "p (Holm)", right: true, sort: (r) => r.of.against_baseline?.p_holm ?? null, cell: (r) => pValue(r.of.against_baseline?.p_holm) },
];

/** SeveralGroups sets groups of runs beside the first of them, measure by measure. */
export function SeveralGroups({ compare, filters, flags }: { compare: Several; filters: string[]; flags: Record<string, string> }) {
  return (
    <>
      <Panel
        id="groups"
        title="Groups"
        command={command("compare", ...filters, ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]))}
        files={{ name: "compare", json: compare }}
        figure={{ name: "compare", of: filters, flags }}
      >
        {compare.groups.map((g, i) => (
          <p class="note">
            {letter(i)}: <a href={`/?${parameters("q", g.filter)}`}>{plural(g.runs.length, "run")}</a>, {g.filter}
            {i === 0 && " (baseline)"}
          </p>
        ))}
      </Panel>
      {compare.measures.map((m) => {
        const columns = columnsFor(digitsOf(m.measure));
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
