import { optional } from "../command";
import { moment, none } from "../format";
import { Digest } from "../parts/copy";
import { StatusMark } from "../parts/panel";
import type { Column } from "../parts/table";
import { parameters, runLink } from "../links";
import type { Detail, Field, Run } from "../types";

/** label is what a run is called: its name, or its short ID. */
export const label = (run: Detail) => run.name || run.short;

/** brief is text that may be a map, as one line. */
export const brief = (text: string) => (text.includes("\n") ? `a map of ${text.split("\n", 1)[0]!.replace(",", " × ")}` : text);

/** fieldOf is a field of a run's spec, as text. */
export function fieldOf(run: Run, field: string): string {
  if (field === "env") return run.env;
  if (field === "reading") return run.reading;
  const value = run.spec.env.params?.[field] ?? run.spec.env.text?.[field] ?? run.spec[field === "lifetime" ? "options" : field];
  return value === undefined ? "" : brief(String(value));
}

/**
 * differing are the fields in which the selected runs are not all the same, without
 * those that their readings are names for.
 */
export function differing(fields: Field[]): string[] {
  const said = fields.find((f) => f.field === "reading")?.values.every((v) => v.value !== "") ? named : [];
  return fields.filter((f) => f.values.length + (f.more ?? 0) > 1 && !said.includes(f.field)).map((f) => f.field);
}

const named = ["basis", "dataset"];

const text = new Set(["env", "reading", "basis", "dataset", "select", "learner", "data", "method", "map", "observe", "feature_scale", "initiation", "lifetime", "sides", "state_set"]);

/** Value is a value that filters by itself when it is clicked. */
function Value({ of, field, q }: { of: string; field: string; q: string[] }) {
  if (!of || /[,\n]/.test(of)) return <>{of.slice(0, 16) || none}</>;
  const term = `${field}=${of}`;
  return (
    <a class="value" tabIndex={-1} title={`only ${term}`} href={`/?${parameters("q", q.includes(term) ? q : [...q, term])}`}>
      {of.slice(0, 16)}
    </a>
  );
}

function specColumn(field: string, q: string[]): Column<Run> {
  return {
    key: field,
    title: field,
    right: !text.has(field),
    width: text.has(field) ? 16 : Math.max(9, field.length + 4),
    sort: (run) => fieldOf(run, field),
    cell: (run) => <Value of={fieldOf(run, field)} field={field} q={q} />,
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

/** columnsOf are the columns of a list of runs whose specs differ in the fields; some tells whether a run is like that. */
export function columnsOf(fields: string[], q: string[], some: (test: (run: Run) => unknown) => boolean): Column<Run>[] {
  const columns: Column<Run>[] = [
    {
      key: "name",
      title: "run",
      width: 20,
      sort: (run) => run.name,
      value: (run) => run.name || run.run,
      cell: (run) => (
        <a href={runLink(run.run)} title={run.run} tabIndex={-1}>
          {run.name || run.short}
        </a>
      ),
    },
    { key: "status", title: "status", width: some((run) => run.reason) ? 30 : 15, sort: (run) => run.status, cell: (run) => <StatusMark status={run.status} reason={run.reason} /> },
    { key: "iterations", title: "iterations", width: some((run) => run.iterations < run.target) ? 24 : 13, sort: (run) => run.iterations, cell: progress },
    ...fields.map((field) => specColumn(field, q)),
    { key: "head", title: "head", width: 15, sort: (run) => run.head, cell: (run) => <Digest text={run.head} /> },
    { key: "tag", title: "tags", width: 14, sort: (run) => run.tags.join(","), cell: (run) => run.tags.map((tag, i) => [i > 0 && ", ", <Value of={tag} field="tag" q={q} />]) },
    { key: "created", title: "created (UTC)", width: 24, sort: (run) => run.created, cell: (run) => moment(run.created) },
  ];
  return columns.filter((c) => c.key !== "tag" || some((run) => run.tags.length));
}

export const lsCommand = (query: string[], sort: string | null) => optional("podtrack ls", [...query, ...(sort ? ["--sort", sort] : [])]);
