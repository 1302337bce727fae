import { heavyPause, useSteady } from "../api";
import { optional } from "../command";
import { Ask } from "../parts/ask";
import { Heat } from "../parts/heat";
import { Plotted } from "../parts/plotted";
import { Panel } from "../parts/panel";
import { Empty, Shown } from "../parts/states";
import { Cells, Strip } from "../parts/strip";
import { Rows, sheet, sorted, type Column } from "../parts/table";
import { num, plural } from "../format";
import { parameters, refLink } from "../links";
import { address, go, set } from "../router";
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

const lastOf = (group: Group) => Math.max(1, ...group.runs.map((r) => r.iterations - 1));
const toldFirst = (k: number | null | undefined) => (k == null ? "not found" : `first in iteration ${k}`);

type Row = Distinct & { strip: number[]; label: string };

/** columns has the runs in the order of the dendrogram, so that those which found the same are beside each other. */
function columns(group: Group, leaves: number[]): Column<Row>[] {
  const most = lastOf(group);
  const wide = Math.max(60, Math.min(224, 16 * leaves.length));
  const labels = (p: Row) => p.found.flatMap((f, i) => (f === null ? [] : [group.runs[i]!.label])).join(" ");
  return [
    { key: "strip", title: "weights", width: 12, value: (p) => p.strip.join(" "), cell: (p) => <Strip weights={p.strip} label={p.label} /> },
    { key: "label", title: "purpose", width: 22, sort: (p) => p.label, cell: (p) => p.label },
    {
      key: "found",
      title: "found by",
      help: "one place per run, similar runs beside each other; the darker, the earlier",
      width: Math.ceil(wide / 7) + 2,
      value: labels,
      cell: (p) => (
        <Cells
          width={wide}
          label={`found by ${plural(p.runs, "run")}`}
          cells={leaves.map((i) => (p.found[i] == null ? null : 1 - (0.8 * p.found[i]!) / most))}
          tell={(n) => `${group.runs[leaves[n]!]!.label}: ${toldFirst(p.found[leaves[n]!])}`}
        />
      ),
    },
    { key: "runs", title: "runs", right: true, width: 8, sort: (p) => p.runs, cell: (p) => p.runs },
    { key: "prevalence", title: "prevalence [95 % interval]", right: true, width: 26, sort: (p) => p.prevalence, cell: (p) => `${num(p.prevalence, 2)} [${num(p.low, 2)}, ${num(p.high, 2)}]` },
    { key: "first", title: "first k", right: true, width: 10, sort: (p) => p.first, cell: (p) => p.first },
    { key: "sigma", title: "mean σ", right: true, width: 10, sort: (p) => p.sigma, cell: (p) => num(p.sigma, 3) },
    { key: "directions", title: "directions", right: true, width: 12, sort: (p) => p.directions, cell: (p) => p.directions },
    { key: "purpose", title: "example", width: 18, sort: (p) => p.name, cell: (p) => <Ref name={p.name} /> },
  ];
}

function Page({ group, q, sort }: { group: Group; q: string[]; sort: string }) {
  const { by, options } = group;
  const distinct = by === "options" && options ? options : { distinct: group.purposes, threshold: group.threshold, count: group.directions };
  const leaves = group.dendrogram.leaves;
  const cols = columns(group, leaves);
  const rows = sorted(distinct.distinct.map((d, i): Row => ({ ...d, strip: group.thumbnails[i]!.strip, label: group.thumbnails[i]!.name })), cols, sort);
  const labels = leaves.map((i) => group.runs[i]!.label);
  const figure = group.runs.length > 1 ? { name: "diff", of: q, flags: { group: "true", by } } : undefined;
  const line = `podtrack diff --group --by ${by}`;
  const things = group.found_dendrogram.leaves;
  const most = lastOf(group);
  const firstOf = (r: number, c: number) => distinct.distinct[things[c]!]!.found[leaves[r]!];
  return (
    <>
      <Panel
        id="purposes"
        title={by === "options" ? "Options" : "Purposes"}
        aside={`${distinct.distinct.length} distinct among ${plural(distinct.count, by === "options" ? "option" : "direction")} of ${plural(group.runs.length, "run")}; the same from ${num(distinct.threshold, 3)} on`}
        command={optional(line, q)}
        files={{ name: by, json: group, csv: sheet(cols, rows) }}
        figure={figure}
      >
        <p>
          <strong>{group.verdict}</strong>
        </p>
        {group.empty.length > 0 && <p class="note">Left out, for want of iterations: {group.empty.map((m) => m.label).join(", ")}.</p>}
        <Rows label={`distinct ${by}`} columns={cols} rows={rows} sort={sort} onSort={(key) => set({ sort: key })} />
      </Panel>
      {figure && (
        <Panel id="similarity" title="Run similarity" aside={`mean over matched ${by}, runs in the order of the dendrogram (average linkage, the last merge at ${num(group.dendrogram.merges.at(-1)?.height, 2)})`} command={optional(`${line} --matrix runs`, q)}>
          <Plotted figure={figure} on={group.runs} />
        </Panel>
      )}
      <Panel id="found" title="Found by" aside={`which run found which of the ${by}; those beside each other were found by the same runs`} command={optional(`${line} --matrix ${by}`, q)}>
        <Heat
          label={`which run, in rows, found which of the ${by}`}
          rows={labels}
          columns={things.map((i) => group.thumbnails[i]!.name)}
          low={-1}
          high={most}
          ramp={["not found", "found in iteration 0"]}
          at={(r, c) => {
            const k = firstOf(r, c);
            return k == null ? undefined : most - k;
          }}
          tell={(r, c) => `${group.thumbnails[things[c]!]!.name}, ${labels[r]}: ${toldFirst(firstOf(r, c))}`}
          onOpen={(_, c) => go(refLink(distinct.distinct[things[c]!]!.name)!)}
          tree={group.dendrogram}
          above={group.found_dendrogram}
        />
      </Panel>
    </>
  );
}
