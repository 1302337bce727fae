import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Figure } from "../parts/figures";
import { Panel } from "../parts/panel";
import { Plotted } from "../parts/plotted";
import { Rows, sheet, type Column } from "../parts/table";
import { none, num, plural } from "../format";
import { parameters } from "../links";
import { digitsOf, labelOf, titleOf } from "../measure";
import type { Compare, Estimate, GroupOf, Member, Summaries, Summary } from "../types-compare";

/** Cell is what the runs of a group have in an iteration, and how it differs from the baseline. */
interface Cell extends Summary {
  difference?: Estimate | null;
  improvement?: Estimate | null;
  p?: number | null;
  verdict?: string;
}

interface Measured {
  measure: string;
  iterations: { k: number; groups: Cell[] }[];
}

type Answer = Compare | Summaries;

/** measuresOf gives the documents of one and of more groups the same form. */
function measuresOf(c: Answer): Measured[] {
  if ("measures" in c) return c.measures.map((m) => ({ ...m, iterations: m.iterations.map(({ k, groups }) => ({ k, groups: groups.map((g) => ({ ...g, ...g.against_baseline, p: g.against_baseline?.p_holm })) })) }));
  return c.groups[0]!.measures.map(({ measure, iterations }, m) => ({ measure, iterations: iterations.map(({ k }, i) => ({ k, groups: c.groups.map((g) => g.measures[m]!.iterations[i]!) })) }));
}

/** alone says that all groups are single runs, if they are; someAlone that some of many are. */
const alone = (groups: GroupOf[]) => groups.every(isSingle) && `${groups.length > 1 ? "Each line is one run" : "The line is one run"}.`;
const someAlone = (groups: GroupOf[]) => (groups.some(isSingle) ? " Single runs have none." : "");
const isSingle = (g: GroupOf) => g.runs.length === 1;

const letter = (i: number) => String.fromCharCode(97 + (i % 26)) + (i < 26 ? "" : Math.floor(i / 26));

/** nameOf is what a group is called: its run, its values of the fields that split, or its letter. */
function nameOf(g: GroupOf, i: number, by: string[]): string {
  if (!g.values && !by.length) return letter(i);
  return by.map((field, n) => (field === "run" ? g.runs[0]!.name || g.runs[0]!.run.slice(0, 7) : `${field} ${g.values![n] || "none"}`)).join(", ");
}

interface Row {
  k: number;
  group: string;
  of: Cell;
}

const interval = (e: Estimate | null | undefined, digits = 2) => (!e ? none : `${num(e.value, digits)}${e.interval_low === null ? "" : ` [${num(e.interval_low, digits)}, ${num(e.interval_high, digits)}]`}`);

const pValue = (p: number | null | undefined) => (p == null ? "–" : p < 0.001 ? "< 0.001" : num(p, 3));
const meanOf = (s: Summary, digits: number) => interval(s.mean === null ? null : { value: s.mean, interval_low: s.interval_low, interval_high: s.interval_high }, digits) + (s.censored ? ` (${s.censored} of ${s.n} ≥ ${s.budget})` : "");

/** more is P(more), which says nothing without an interval: of single runs it is 0, ½ or 1. */
const more = ({ of: { improvement } }: Row) => (improvement?.interval_low == null ? null : improvement);

function columnsFor(digits: number, rows: Row[]): Column<Row>[] {
  const some = (key: keyof Cell) => rows.some((r) => r.of[key] != null);
  const columns: (Column<Row> | false)[] = [
    { key: "k", title: "k", right: true, width: 6, sort: (r) => r.k, cell: (r) => r.k },
    { key: "group", title: "group", help: "with the number of its runs in parentheses", width: 26, sort: (r) => r.group, cell: (r) => `${r.group} (${r.of.n})` },
    { key: "mean", title: "mean [interval]", right: true, width: 28, sort: (r) => r.of.mean, cell: (r) => meanOf(r.of, digits) },
    { key: "sd", title: "sd", right: true, wide: true, width: 10, sort: (r) => r.of.sd, cell: (r) => num(r.of.sd, digits) },
    some("difference") && { key: "difference", title: "difference [interval]", right: true, width: 30, sort: (r) => r.of.difference?.value ?? null, cell: (r) => interval(r.of.difference, digits) },
    rows.some(more) && { key: "improvement", title: "P(more) [interval]", right: true, wide: true, width: 24, sort: (r) => more(r)?.value ?? null, cell: (r) => interval(more(r)) },
    some("p") && {
      key: "p",
      title: "p (Holm)",
      right: true,
      width: 24,
      sort: (r) => r.of.p ?? null,
      cell: (r) => [pValue(r.of.p), " ", /^(more|less)$/.test(r.of.verdict!) ? <b>{r.of.verdict}</b> : r.of.verdict],
      help: "more or less than the baseline: p is at most 0.05, and the interval of the difference excludes 0; else not settled",
    },
  ];
  return columns.filter((c) => c !== false);
}

/** Verdicts say for each measure in which groups there is more or less than in the first, in the last iteration that most runs have. */
function Verdicts({ measures, names }: { measures: Measured[]; names: string[] }) {
  const runs = (it: Measured["iterations"][0]) => it.groups.reduce((sum, g) => sum + (g.verdict ? g.n : 0), 0);
  return (
    <ul>
      {measures.map(({ measure, iterations }) => {
        const last = iterations.findLast((it) => runs(it) > 0 && runs(it) === Math.max(...iterations.map(runs)));
        const settled = (word: string) => last?.groups.flatMap((g, i) => (g.verdict === word ? [`${names[i]} (p ${pValue(g.p)})`] : [])).join(", ");
        const told = ["more", "less"].filter(settled).map((word) => `${word} in ${settled(word)}`);
        return (
          last && (
            <li key={measure}>
              <b>{titleOf(measure)}</b> in iteration {last.k}: {told.join("; ") || "not settled"}
            </li>
          )
        );
      })}
    </ul>
  );
}

/** Compared shows groups of runs measure by measure: means with bands, and a table; drawn is the figure of each measure, if there is one; brief leaves out how their specs differ. */
export function Compared({ compare: c, by, command, drawn, brief }: { compare: Answer; by: string[]; command: string; drawn?: Figure; brief?: boolean }) {
  const groups: GroupOf[] = c.groups;
  const names = groups.map((g, i) => nameOf(g, i, by));
  const measures = useMemo(() => measuresOf(c), [c]);
  return (
    <>
      <Panel id="groups" title="Groups" aside={groups.length > 1 ? `differences from ${names[0]}` : undefined} command={command} files={{ name: "compare", json: c }} figure={drawn}>
        <p class="note">
          {groups.map((g, i) => (
            <>
              {i > 0 && " · "}
              <a href={`/?${parameters("q", g.filter)}`} title={g.filter}>
                {names[i]}
              </a>{" "}
              ({plural(g.runs.length, "run")}
              {!g.values && !by.length && `, ${g.filter}`})
            </>
          ))}
        </p>
        <Verdicts measures={measures} names={names} />
        <Notes compare={c} brief={brief} />
      </Panel>
      {measures.map((m) => (
        <OneMeasure key={m.measure} measured={m} names={names} drawn={drawn} />
      ))}
      <p class="note">{alone(groups) || intervalsOf(c) + someAlone(groups)}</p>
    </>
  );
}

function intervalsOf(c: Answer): string {
  if (!("intervals" in c)) return `Bands and intervals: ${num(100 * c.level, 0)} % of each mean, ${c.interval}.`;
  const level = c.groups.length > 2 ? `${num(100 * c.each_level, 1)} % each, so that all hold together at ${num(100 * c.level, 0)} % (Bonferroni)` : `${num(100 * c.level, 0)} %`;
  return `Bands: 95 % of each mean, ${c.intervals.mean}. Intervals of differences: ${level}; of the difference ${c.intervals.difference}, of P(more) ${c.intervals.improvement}; a tie counts as half.`;
}

/** Notes say how runs were paired, and which fields are not the same within a group. */
function Notes({ compare: c, brief }: { compare: Answer; brief?: boolean }): ComponentChildren {
  if (!("pairings" in c)) return null;
  const alone = (group: string, members: Member[] | null) => (members?.length ? ` ${group}: without a partner, left out: ${members.map((m) => m.name || m.run.slice(0, 7)).join(", ")}.` : "");
  const within = c.fields.filter((f) => f.values.some((v) => v.length > 1)).map((f) => f.field);
  const apart = c.fields.filter((f) => f.values.every((v) => v.length === 1));
  return (
    <>
      {c.pairings.map(
        (p, i) =>
          p && (
            <p key={i} class="note">
              {letter(i)} paired with {letter(0)} by {p.field}: {plural(p.pairs, "pair")}, and the difference is their mean difference.
              {alone(letter(0), p.alone_a)}
              {alone(letter(i), p.alone_b)}
            </p>
          ),
      )}
      {apart.length > 0 && !brief && <p class="note">Different: {apart.map((f) => `${f.field} (${f.values.flat().join(", ")})`).join(", ")}.</p>}
      {within.length > 0 && <p class="note">Not the same within a group: {within.join(", ")}.</p>}
    </>
  );
}

function OneMeasure({ measured: { measure, iterations }, names, drawn }: { measured: Measured; names: string[]; drawn?: Figure }) {
  const digits = digitsOf(measure);
  const rows = iterations.flatMap(({ k, groups }) => groups.map((of, i) => ({ k, group: names[i]!, of })));
  const columns = columnsFor(digits, rows);
  const figure = drawn && { ...drawn, flags: { ...drawn.flags, measure } };
  return (
    <Panel id={measure} title={labelOf(measure)} files={{ name: `compare-${measure}`, csv: sheet(columns, rows) }} figure={figure}>
      <div class="halves table">
        {figure && <Plotted figure={figure} />}
        <Rows label={`${measure} by iteration and group`} columns={columns} rows={rows} wraps />
      </div>
    </Panel>
  );
}
