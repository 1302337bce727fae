import { useEffect, useRef } from "preact/hooks";
import { heavyPause, useSteady } from "../api";
import { optional } from "../command";
import { Heat } from "../parts/heat";
import { Panel } from "../parts/panel";
import { Empty, Shown } from "../parts/states";
import { Rows, sheet, sorted, type Column } from "../parts/table";
import { phrase, terms } from "../filter";
import { num, plural } from "../format";
import { compareLink, parameters, runLink } from "../links";
import { go, set } from "../router";
import type { Distinct, Group } from "../types-compare";
import { Ref } from "./causes";

/** GroupView shows the distinct purposes of many runs, and which run found which. */
export function GroupView({ query }: { query: URLSearchParams }) {
  const q = query.getAll("q");
  const answer = useSteady<Group>(q.length ? `/api/group?by=purposes&${parameters("q", q)}` : null, undefined, heavyPause);
  return (
    <>
      <h1>Distinct purposes</h1>
      <Ask q={q} />
      {q.length === 0 ? (
        <Empty>
          <p>Say of which runs: a filter such as reading=as-published hide=3 parent=</p>
        </Empty>
      ) : (
        <Shown answer={answer} what="the purposes of all these runs">
          {(group) => <Page group={group} q={q} sort={query.get("sort") ?? ""} />}
        </Shown>
      )}
    </>
  );
}

function Ask({ q }: { q: string[] }) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    box.current!.value = phrase(q);
  }, [q.join("\0")]);
  const ask = (event: Event) => {
    event.preventDefault();
    set({ q: terms(box.current!.value) }, false);
  };
  return (
    <form class="controls" role="search" onSubmit={ask}>
      <label class="grow">
        filter
        <input ref={box} data-filter type="text" enterkeyhint="search" defaultValue={phrase(q)} placeholder="reading=as-published hide=3 parent=" spellcheck={false} autocomplete="off" />
      </label>
      <button type="submit">find</button>
    </form>
  );
}

const columns = (runs: Group["runs"]): Column<Distinct>[] => [
  { key: "purpose", title: "purpose", width: 18, sort: (p) => p.name, cell: (p) => <Ref name={p.name} /> },
  { key: "sigma", title: "mean σ", right: true, width: 10, sort: (p) => p.sigma, cell: (p) => num(p.sigma, 3) },
  { key: "runs", title: "runs", right: true, width: 8, sort: (p) => p.runs, cell: (p) => p.runs },
  { key: "prevalence", title: "prevalence [95 % interval]", right: true, width: 26, sort: (p) => p.prevalence, cell: (p) => `${num(p.prevalence, 2)} [${num(p.low, 2)}, ${num(p.high, 2)}]` },
  { key: "first", title: "first k", right: true, width: 10, sort: (p) => p.first, cell: (p) => p.first },
  { key: "directions", title: "directions", right: true, width: 12, sort: (p) => p.directions, cell: (p) => p.directions },
  {
    key: "found",
    title: "found by",
    width: 40,
    value: (p) => p.found.flatMap((f, i) => (f === null ? [] : [runs[i]!.label])).join(" "),
    cell: (p) => p.found.flatMap((f, i) => (f === null ? [] : [runs[i]!.label])).join(" "),
  },
];

const drawn = 120; // purposes in the matrix

function Page({ group, q, sort }: { group: Group; q: string[]; sort: string }) {
  const cols = columns(group.runs);
  const rows = sorted(group.purposes, cols, sort);
  const most = Math.max(1, ...group.runs.map((r) => r.iterations - 1));
  const labels = group.runs.map((r) => r.label);
  const shown = rows.slice(0, drawn);
  return (
    <>
      <Panel
        id="purposes"
        title="Purposes"
        aside={`${plural(group.purposes.length, "purpose")} among ${plural(group.directions, "direction")} of ${plural(group.runs.length, "run")}; same purpose from |cos| ${num(group.threshold, 3)} on`}
        command={optional("podtrack diff --group --by purposes", q)}
        files={{ name: "purposes", json: group, csv: sheet(cols, rows) }}
        figure={{ name: "diff", of: q, flags: { group: "true", by: "purposes" } }}
      >
        <p class="note">{group.verdict}</p>
        {group.empty.length > 0 && <p class="note">Left out, for want of iterations: {group.empty.map((m) => m.label).join(", ")}.</p>}
        <Rows label="distinct purposes" columns={cols} rows={rows} sort={sort} onSort={(key) => set({ sort: key })} />
      </Panel>
      <Panel id="matrix" title="Which run found which, and when" aside={rows.length > drawn ? `the first ${drawn} of the table` : undefined} command={optional("podtrack diff --group --matrix purposes", q)}>
        <Heat
          label="first iteration in which a run found a purpose, a run a row"
          rows={labels}
          columns={shown.map((p) => p.name)}
          low={-0.5}
          high={most}
          ramp={[`iteration ${most}`, "iteration 0"]}
          at={(r, c) => (shown[c]!.found[r] === null ? undefined : most - shown[c]!.found[r]!)}
          tell={(r, c) => `${labels[r]}: ${shown[c]!.name} ${shown[c]!.found[r] === null ? "not found" : `first in iteration ${shown[c]!.found[r]}`}`}
          onOpen={(r) => go(runLink(group.runs[r]!.run))}
        />
      </Panel>
      <Panel
        id="similarity"
        title="Run similarity"
        aside={`mean |cos| of matched directions; chance level: mean ${num(group.chance.mean, 2)}, 95th percentile ${num(group.chance.p95, 2)}`}
        command={optional("podtrack diff --group --by purposes --matrix runs", q)}
      >
        <Heat
          label="mean |cos| of matched directions, run by run"
          rows={labels}
          columns={labels}
          low={Math.min(0.99, group.chance.mean)}
          high={1}
          ramp={[`chance, ${num(group.chance.mean, 2)}`, "1"]}
          at={(r, c) => group.similarity[r]?.[c]}
          tell={(r, c) => `${labels[r]} and ${labels[c]}: mean |cos| ${num(group.similarity[r]?.[c], 3)} (chance level: mean ${num(group.chance.mean, 2)}, 95th percentile ${num(group.chance.p95, 2)})`}
          onOpen={(r, c) => r !== c && go(compareLink(labels[r]!, labels[c]!))}
        />
      </Panel>
    </>
  );
}
