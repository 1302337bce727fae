import { optional } from "../command";
import { term } from "../filter";
import { brief, moment, none, num } from "../format";
import { Digest } from "../parts/copy";
import { StatusMark, Symbol } from "../parts/panel";
import type { Column } from "../parts/table";
import { parameters, runLink } from "../links";
import { decimals, labelOf, ownOf, recorded, titleOf } from "../measure";
import type { Detail, Field, Place, Run } from "../types";

/** label is what a run is called: its name, or its short ID. */
export const label = (run: Detail) => run.name || run.short;

/** oneLine is text that may be a map, as one line. */
export const oneLine = (text: string) => (text.includes("\n") ? `a map of ${text.split("\n", 1)[0]!.replace(",", " × ")}` : text);

/** fieldOf is a field of a run's spec, as the server has it as text, but for maps. */
function fieldOf(run: Run, field: string): string {
  if (field === "env") return run.env;
  if (field === "reading") return run.reading;
  if (isPlace(field)) return placed(run, field).join(", ");
  const value = run.spec.env.params?.[field] ?? run.spec.env.text?.[field] ?? run.spec[field === "lifetime" ? "options" : field];
  const program = run.spec.stages?.[field];
  if (program) return `${program.name} ${program.version}`;
  return value === undefined ? "" : Array.isArray(value) ? value.join("+") : String(value);
}

const isPlace = (field: string): field is keyof Place => ["study", "setting", "variant"].includes(field);

const placed = (run: Run, field: keyof Place) => [...new Set(run.places?.map((p) => p[field]))];

/**
 * differing are the fields in which the selected runs are not all the same, without
 * those that their readings or their variants are names for.
 */
export function differing(fields: Field[]): string[] {
  const said = fields.find((f) => f.field === "reading")?.values.every((v) => v.value !== "") ? named : [];
  const varied = fields.find((f) => f.field === "variant")?.values.every((v) => v.value !== "");
  return fields.filter((f) => f.values.length + (f.more ?? 0) > 1 && !(varied ? !isPlace(f.field) && !["seed", "tag"].includes(f.field) : said.includes(f.field))).map((f) => f.field);
}

const named = ["basis", "dataset"];

const text = new Set(["env", "reading", "basis", "dataset", "select", "learner", "data", "method", "map", "observe", "feature_scale", "initiation", "lifetime", "behaviour", "psi_part", "restart", "sides", "state_set", "study", "setting", "variant"]);

/** mostValue is how many letters of a value are shown: all of a whole number of 64 bits. */
const mostValue = 20;

/** Value is a value that filters by itself when it is clicked. */
function Value({ of, field, q }: { of: string; field: string; q: string[] }) {
  const shown = brief(oneLine(of), mostValue);
  if (!of || of.includes("\n")) return <span title={of}>{shown || none}</span>;
  const only = term(field, of);
  return (
    <a class="value" tabIndex={-1} title={`only ${only}`} href={`/?${parameters("q", q.includes(only) ? q : [...q, only])}`}>
      {shown}
    </a>
  );
}

const Values = ({ of, ...rest }: { of: string[]; field: string; q: string[] }) => <>{of.map((value, i) => [i > 0 && ", ", <Value of={value} {...rest} />])}</>;

function specColumn(field: string, q: string[], runs: Run[]): Column<Run> {
  const longest = Math.min(mostValue, Math.max(0, ...runs.map((run) => fieldOf(run, field).length)));
  return {
    key: field,
    title: field,
    right: !text.has(field),
    width: Math.max(text.has(field) ? 14 : 6, field.length + (narrow() ? 2 : 4), longest + 4),
    sort: (run) => fieldOf(run, field),
    cell: (run) => <Values of={isPlace(field) ? placed(run, field) : [fieldOf(run, field)]} field={field} q={q} />,
  };
}

function progress(run: Run) {
  if (run.iterations >= run.target) return run.iterations;
  const share = run.iterations / run.target;
  return (
    <span class="progress">
      <span class="track" aria-hidden="true">
        <span style={{ width: `${100 * share}%` }} />
      </span>
      {run.iterations} of {run.target}
    </span>
  );
}

const tail = 6; // letters of a name that are never cut: its seed is among them
/** narrow tells a telephone, as the styles do. */
export const narrow = () => innerWidth <= 700;

const facts: Column<Run>[] = [
  {
    key: "name",
    title: "run",
    width: 18,
    sort: (run) => run.name,
    value: (run) => run.name || run.run,
    cell: (run) => (
      <a class="name" href={runLink(run.run)} title={`${run.name} ${run.run}`} tabIndex={-1}>
        {run.status !== "complete" && <Symbol status={run.status} />}
        <span>{(run.name || run.short).slice(0, -tail)}</span>
        {(run.name || run.short).slice(-tail)}
      </a>
    ),
  },
  { key: "status", title: "status", width: 13, sort: (run) => run.status, cell: (run) => <StatusMark status={run.status} reason={run.reason} /> },
  { key: "iterations", title: "iterations", width: 12, sort: (run) => run.iterations, cell: progress },
  { key: "head", title: "head", width: 14, sort: (run) => run.head, cell: (run) => <Digest text={run.head} /> },
  { key: "note", title: "note", width: 24, sort: (run) => run.note, cell: (run) => run.note },
  { key: "created", title: "created (UTC)", width: 22, sort: (run) => run.created, cell: (run) => moment(run.created) },
];

const isMeasure = (column: string, own: string[]) => recorded.includes(column) || own.includes(column);
const last = (run: Run, measure: string) => run.series?.[measure]?.at(-1) ?? null;

function measureColumn(measure: string, runs: Run[]): Column<Run> {
  const digits = recorded.includes(measure) ? Number(/length|reach/.test(measure)) : decimals(runs.map((run) => last(run, measure)));
  return {
    key: measure,
    title: titleOf(measure),
    help: `${labelOf(measure)}: the last iteration's, and a line over the iterations`,
    right: true,
    width: narrow() ? 9 : Math.max(15, titleOf(measure).length + 6),
    sort: (run) => last(run, measure),
    cell: (run) => [<Spark values={run.series?.[measure] ?? []} />, <span class="last">{num(last(run, measure), digits)}</span>],
  };
}

/** Spark is a line over the iterations, from 0 or the least value to the largest. */
function Spark({ values }: { values: (number | null)[] }) {
  const known = values.filter((v) => v !== null);
  if (known.length < 2) return null;
  const [low, high] = [Math.min(0, ...known), Math.max(...known)];
  const at = values.map((v, k) => v !== null && `${num((60 * k) / (values.length - 1), 1)},${(15 - (14 * (v - low)) / (high - low || 1)).toFixed(1)}`);
  return (
    <svg class="spark" viewBox="0 0 60 16" aria-hidden="true">
      <polyline points={at.filter(Boolean).join(" ")} />
    </svg>
  );
}

/** choices are all columns that a list of runs may have beside that of the run. */
export const choices = (fields: Field[], own: string[]) => ["status", "iterations", ...fields.map((f) => f.field).filter((f) => f !== "tag"), ...recorded, ...own, "head", "tag", "note", "created"];

export const usualMeasures = ["purposes", "distance", "states_visited"];

/** usual are the columns that a list has unless others are asked for, those without a value among them: the measures first, so that they are in sight on a telephone, and what only some runs have last. */
export const usual = (fields: Field[], own: string[]) => {
  const some = (name: string) => fields.some((f) => f.field === name && f.values.some((v) => v.value === ""));
  const names = differing(fields).filter((n) => n !== "seed" && n !== "tag");
  const seed = fields.some((f) => f.field === "seed" && f.values.length > 1) ? ["seed"] : [];
  return [...seed, ...usualMeasures, ...own.slice(0, 3), "status", "iterations", ...names.filter((n) => !some(n)), ...names.filter(some), "head", "tag", "note", "created"];
};

/** hasValue tells whether a run has something to show in a column that may be without. */
export function hasValue(run: Run, column: string, own: string[]): boolean {
  if (column === "tag") return run.tags.length > 0;
  if (column === "note") return run.note !== "";
  return !isMeasure(column, own) || last(run, column) !== null;
}

/** columnsOf are the columns of a list of runs, wide enough for those that are there. */
export function columnsOf(names: string[], q: string[], runs: Run[], grouped: boolean): Column<Run>[] {
  const own = ownOf(runs);
  const longest = Math.max(grouped && !narrow() ? 16 : 7, ...runs.map((run) => run.name.length));
  const wide: Record<string, number | false> = { name: Math.min(longest + 4, narrow() ? 14 : 36), status: runs.some((run) => run.reason) && 30, iterations: runs.some((run) => run.iterations < run.target) && 24 };
  return ["name", ...names].map((name) => {
    const fact = facts.find((c) => c.key === name);
    if (fact) return { ...fact, width: wide[name] || fact.width };
    if (name === "tag") return { key: "tag", title: "tags", width: 14, sort: (run) => run.tags.join(","), cell: (run) => <Values of={run.tags} field="tag" q={q} /> };
    return isMeasure(name, own) ? measureColumn(name, runs) : specColumn(name, q, runs);
  });
}

/** shared says what all runs have in common that the paper's experiment has not. */
export function shared(fields: Field[]): string {
  const reading = fields.find((f) => f.field === "reading")?.values.length === 1;
  const same = fields.filter((f) => f.values.length === 1 && !f.usual && !["seed", "data", ...(reading ? named : [])].includes(f.field));
  return same.map((f) => f.values[0]!.term).join(" ");
}

export const lsCommand = (query: string[], sort: string | null, columns?: string[]) =>
  optional("podtrack ls", [...query, ...(sort ? ["--sort", sort] : []), ...(columns ? ["--columns", ["run", "name", ...columns].join()] : [])]);
