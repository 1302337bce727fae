import { useMemo } from "preact/hooks";
import { command } from "../command";
import { Chart, left, wholes } from "../parts/chart";
import { Panel } from "../parts/panel";
import { Specs } from "../parts/specs";
import { Rows, sheet, type Column } from "../parts/table";
import { num, plural } from "../format";
import { parameters } from "../links";
import { digitsOf, labelOf } from "../measure";
import { colour } from "../theme";
import type { Compare, Contrast, Estimate, Member, Summary } from "../types-compare";

type Row = Contrast["iterations"][number];

const spread = (s: Summary, digits: number) => (s.mean === null ? "–" : `${num(s.mean, digits)} ± ${num(s.sd, digits)}`);
const interval = (e: Estimate | null, digits = 2) => (e === null ? "–" : `${num(e.value, digits)}${e.interval_low === null ? "" : ` [${num(e.interval_low, digits)}, ${num(e.interval_high, digits)}]`}`);

const columnsAt = (level: string, digits: number): Column<Row>[] => [
  { key: "k", title: "k", right: true, sort: (r) => r.k, cell: (r) => r.k },
  { key: "n_a", title: "n a", right: true, sort: (r) => r.a.n, cell: (r) => r.a.n },
  { key: "mean_a", title: "a: mean ± sd", right: true, sort: (r) => r.a.mean, cell: (r) => spread(r.a, digits) },
  { key: "n_b", title: "n b", right: true, sort: (r) => r.b.n, cell: (r) => r.b.n },
  { key: "mean_b", title: "b: mean ± sd", right: true, sort: (r) => r.b.mean, cell: (r) => spread(r.b, digits) },
  { key: "difference", title: `b − a [${level} interval]`, right: true, sort: (r) => r.difference?.value ?? null, cell: (r) => interval(r.difference, digits) },
  { key: "improvement", title: `P(b > a) [${level} interval]`, right: true, sort: (r) => r.improvement?.value ?? null, cell: (r) => interval(r.improvement) },
];

/** Contrasts sets two groups of runs side by side, measure by measure. */
export function Contrasts({ compare, a, b, flags }: { compare: Compare; a: string; b: string; flags: Record<string, string> }) {
  const level = `${num(100 * compare.level, 0)} %`;
  const varies = compare.varies.map((v) => `${v.field} (a: ${plural(v.a.length, "value")}, b: ${plural(v.b.length, "value")})`);
  return (
    <>
      <Panel
        id="groups"
        title="Groups"
        aside={
          <>
            <a href={`/?${parameters("q", a)}`}>a: {plural(compare.a.runs.length, "run")}</a>, <a href={`/?${parameters("q", b)}`}>b: {plural(compare.b.runs.length, "run")}</a>
          </>
        }
        command={command("compare", a, b, ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]))}
        files={{ name: "compare", json: compare }}
        figure={{ name: "compare", of: [a, b], flags }}
      >
        <Specs differences={compare.differs} />
        <Pairing compare={compare} />
        {varies.length > 0 && <p class="note">Not the same within a group: {varies.join(", ")}.</p>}
      </Panel>
      {compare.measures.map((m) => {
        const columns = columnsAt(level, digitsOf(m.measure));
        return (
          <Panel key={m.measure} id={m.measure} title={labelOf(m.measure)} files={{ name: `compare-${m.measure}`, csv: sheet(columns, m.iterations) }}>
            <div class="halves table">
              <Lines contrast={m} />
              <Rows label={`${m.measure} by iteration`} columns={columns} rows={m.iterations} />
            </div>
          </Panel>
        );
      })}
      <p class="note">Intervals: of b − a {compare.intervals.difference}, of P(b &gt; a) {compare.intervals.improvement}. P(b &gt; a): a tie counts as half. The bands are ± one standard deviation.</p>
    </>
  );
}

/** Pairing says what the difference is of, where runs were paired. */
function Pairing({ compare: { pairing } }: { compare: Compare }) {
  if (!pairing) return null;
  const alone = (group: string, members: Member[] | null) => members?.length ? ` ${group}: without a partner, left out: ${members.map((m) => m.name || m.run.slice(0, 7)).join(", ")}.` : "";
  return (
    <p class="note">
      Paired by {pairing.field}: {plural(pairing.pairs, "pair")}, and b − a is their mean difference.
      {alone("a", pairing.alone_a)}
      {alone("b", pairing.alone_b)}
    </p>
  );
}

/** Lines draws both means over the iterations, with bands of one standard deviation. */
function Lines({ contrast }: { contrast: Contrast }) {
  const data = useMemo((): uPlot.AlignedData => {
    const rows = contrast.iterations;
    const at = (of: (r: Row) => Summary, sign: number) => rows.map((r) => (of(r).mean === null ? null : of(r).mean! + sign * (of(r).sd ?? 0)));
    return [rows.map((r) => r.k), at((r) => r.a, 0), at((r) => r.a, 1), at((r) => r.a, -1), at((r) => r.b, 0), at((r) => r.b, 1), at((r) => r.b, -1)];
  }, [contrast]);
  const build = () => {
    const line = (label: string, stroke: string) => ({ label, stroke, width: 2, points: { show: true, size: 6 } });
    const edge = { stroke: "transparent", points: { show: false } };
    const fill = (name: string) => `color-mix(in srgb, ${colour(name)} 16%, transparent)`;
    return {
      scales: { x: { time: false } },
      axes: [wholes("iteration k"), left("mean ± sd")],
      series: [{ label: "k" }, line("a", colour("series-0")), edge, edge, line("b", colour("series-1")), edge, edge],
      bands: [
        { series: [2, 3] as [number, number], fill: fill("series-0") },
        { series: [5, 6] as [number, number], fill: fill("series-1") },
      ],
      legend: { show: false },
      cursor: { drag: { x: false, y: false } },
    };
  };
  return (
    <div>
      <p class="legend">
        <span>
          <i class="series-0" /> a
        </span>
        <span>
          <i class="series-1" /> b
        </span>
      </p>
      <Chart label={`${contrast.measure} of both groups by iteration; the table below has the numbers`} build={build} of={[data]} data={data} height={200} />
    </div>
  );
}
