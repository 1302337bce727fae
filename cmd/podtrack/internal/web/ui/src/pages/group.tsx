import { heavyPause, useSteady } from "../api";
import { optional } from "../command";
import { Ask } from "../parts/ask";
import { Plotted } from "../parts/plotted";
import { Panel } from "../parts/panel";
import { Empty, Shown } from "../parts/states";
import { Rows, sheet, sorted, type Column } from "../parts/table";
import { num, plural } from "../format";
import { parameters } from "../links";
import { address, set } from "../router";
import type { Distinct, Group } from "../types-compare";
import { Ref } from "./causes";

/** GroupView shows the distinct purposes or options of many runs, and which run found which. */
export function GroupView({ query }: { query: URLSearchParams }) {
  const q = query.getAll("q");
  const by = query.get("by") === "options" ? "options" : "purposes";
  const answer = useSteady<Group>(q.length ? `/api/group?by=${by}&${parameters("q", q)}` : null, undefined, heavyPause);
  return (
    <>
      <h1>Distinct {by}</h1>
      <Ask boxes={[["q", "filter", "reading=as-published hide=3 parent="]]} query={query} verb="find">
        {q.length > 0 && <a href={`/compare?${parameters("q", q)}`}>compare measures</a>}
      </Ask>
      <nav class="parts tabs" aria-label="what is compared">
        {["purposes", "options"].map((kind) => (
          <a key={kind} href={address("/group", new URLSearchParams([...q.map((term) => ["q", term]), ["by", kind]]))} aria-current={kind === by ? "page" : undefined}>
            by {kind}
          </a>
        ))}
      </nav>
      {q.length === 0 ? (
        <Empty>
          <p>
            Choose runs: a filter such as reading=as-published hide=3 parent=, or <a href="/group?q=env%3D*">all runs</a>.
          </p>
        </Empty>
      ) : (
        <Shown answer={answer} what={`the ${by} of all these runs`}>
          {(group) => <Page group={group} q={q} sort={query.get("sort") ?? ""} />}
        </Shown>
      )}
    </>
  );
}

const columns: Column<Distinct>[] = [
  { key: "purpose", title: "example", width: 22, sort: (p) => p.name, cell: (p) => <Ref name={p.name} /> },
  { key: "runs", title: "runs", right: true, width: 8, sort: (p) => p.runs, cell: (p) => p.runs },
  { key: "prevalence", title: "prevalence [95 % interval]", right: true, width: 26, sort: (p) => p.prevalence, cell: (p) => `${num(p.prevalence, 2)} [${num(p.low, 2)}, ${num(p.high, 2)}]` },
  { key: "first", title: "first k", right: true, width: 10, sort: (p) => p.first, cell: (p) => p.first },
  { key: "sigma", title: "mean σ", right: true, width: 10, sort: (p) => p.sigma, cell: (p) => num(p.sigma, 3) },
  { key: "directions", title: "directions", right: true, width: 12, sort: (p) => p.directions, cell: (p) => p.directions },
];

/** foundBy are the columns of runs: the iteration in which each first found a purpose. */
const foundBy = (group: Group): Column<Distinct>[] => group.runs.map(({ label }, i) => ({ key: label, title: label, right: true, width: Math.max(8, label.length + 3), sort: (p) => p.found[i] ?? null, cell: (p) => p.found[i] ?? "–" }));

function Page({ group, q, sort }: { group: Group; q: string[]; sort: string }) {
  const { by, options } = group;
  const distinct = by === "options" && options ? options : { distinct: group.purposes, threshold: group.threshold, count: group.directions };
  const all = [...columns, ...foundBy(group)];
  const rows = sorted(distinct.distinct, all, sort);
  const figure = group.runs.length > 1 ? { name: "diff", of: q, flags: { group: "true", by } } : undefined;
  const line = `podtrack diff --group --by ${by}`;
  return (
    <>
      <Panel
        id="purposes"
        title={by === "options" ? "Options" : "Purposes"}
        aside={`${distinct.distinct.length} distinct among ${plural(distinct.count, by === "options" ? "option" : "direction")} of ${plural(group.runs.length, "run")}; the same from ${num(distinct.threshold, 3)} on; below each run the iteration that first found it`}
        command={optional(line, q)}
        files={{ name: by, json: group, csv: sheet(all, rows) }}
        figure={figure}
      >
        <p>
          <strong>{group.verdict}</strong>
        </p>
        {group.empty.length > 0 && <p class="note">Left out, for want of iterations: {group.empty.map((m) => m.label).join(", ")}.</p>}
        <Rows label={`distinct ${by}`} columns={all} rows={rows} sort={sort} onSort={(key) => set({ sort: key })} />
      </Panel>
      {figure && (
        <Panel id="similarity" title="Run similarity" aside={`mean over matched ${by}`} command={optional(`${line} --matrix runs`, q)}>
          <Plotted figure={figure} on={group.runs} />
        </Panel>
      )}
    </>
  );
}
