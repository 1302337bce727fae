import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { useSteady } from "../api";
import { command } from "../command";
import { Command } from "../parts/copy";
import { Empty, Failed, Loading } from "../parts/states";
import { Table } from "../parts/grid";
import { plural } from "../format";
import { compareLink, parameters, runLink } from "../links";
import { ownOf, recorded, titleOf } from "../measure";
import { go, set, useKept } from "../router";
import type { Field, Run } from "../types";
import { choices, columnsOf, hasValue, lsCommand, narrow, shared, usual, usualMeasures } from "./fields";
import { Controls, More } from "./controls";
import { useRuns, type Section } from "./pages";
import { SaveRuns } from "./saveruns";

const fieldsPause = 5000; // milliseconds: which fields the runs have changes only as runs come and go

/** Part are the runs that a view of something else lists, by a field whose values have labels; first is the measure of the first column. */
interface Part {
  q: string[];
  first: string;
  group: string;
  labels: Record<string, string>;
}

/** RunsView lists the runs of a filter, which stands in the address as ?q=, or those that are part of another view. */
export function RunsView({ query, of }: { query: URLSearchParams; of?: Part }) {
  const q = of?.q ?? query.getAll("q");
  const sort = query.get("sort") ?? (of ? "seed" : null);
  const group = of?.group ?? query.get("group");
  const asked = query.get("columns")?.split(",");
  const [ready, prepare] = useState(group !== null); // the first rows are there
  const fields = useSteady<Field[]>(ready ? `/api/fields?${parameters("q", q)}` : null, undefined, fieldsPause);
  const sections = useMemo(() => split(q, group, fields.data), [q.join("\0"), group, fields.data]);
  const list = useRuns(sections, sort, asked ? recorded.filter((m) => asked.includes("all") || asked.includes(m)) : usualMeasures);
  useEffect(() => {
    if (list.total(0) !== undefined || list.error) prepare(true);
  });
  const [closed, close] = useKept("closed", new Set<number>());
  const [chosen, chooseRuns] = useKept<Run[]>("chosen", []);
  const [small, see] = useState(narrow);
  useEffect(() => {
    const look = () => see(narrow());
    addEventListener("resize", look);
    return () => removeEventListener("resize", look);
  }, []);
  const [found, find] = useState(false); // the reader has searched, and goes on in the list

  const runs = list.read();
  const own = ownOf(runs);
  const all = choices(fields.data ?? [], own);
  const wished = (asked?.includes("all") ? all : (asked ?? usual(fields.data ?? [], own))).filter((c) => c !== group);
  const empty = asked ? [] : wished.filter((c) => !runs.some((run) => hasValue(run, c, own)));
  const names = wished.filter((c) => !empty.includes(c) && (all.includes(c) || !fields.data)).sort((a, b) => +(b === of?.first) - +(a === of?.first));
  const kinds = [(r: Run) => r.reason, (r: Run) => r.iterations < r.target].map((test) => runs.some(test)).join();
  const columns = useMemo(() => pickable(columnsOf(names, q, runs, group !== null), chosen, toggle), [names.join(), q.join("\0"), chosen, kinds, group, small]);
  const lines = lay(sections, group !== null, closed, list.total);
  const at = (i: number) => {
    const { section, row } = lines.at(i);
    return row < 0 ? undefined : list.at(section, row);
  };
  const total = sections.reduce((n, _, i) => n + (list.total(i) ?? 0), 0);

  function toggle(run: Run): void {
    chooseRuns(chosen.some((r) => r.run === run.run) ? chosen.filter((r) => r.run !== run.run) : [...chosen, run]);
  }
  const need = (from: number, to: number) => {
    if (lines.count === 0) list.need(0, 0, 1);
    for (let i = from; i < Math.min(to, lines.count); i++) {
      const { section, row } = lines.at(i);
      if (row >= 0) list.need(section, row, row + 1);
    }
  };
  const fold = (section: number) => {
    const next = new Set(closed);
    if (!next.delete(section)) next.add(section);
    close(next);
  };
  const known = sections.every((_, i) => list.total(i) !== undefined);

  if (q.length === 0 && (total === 0 && known || list.error?.status === 404))
    return (
      <Welcome>
        <Asker need={need} lines={0} />
      </Welcome>
    );
  return (
    <>
      {of ? <h2>Runs</h2> : <h1>Runs</h1>}
      {!of && <Controls q={q} group={group} columns={names} fields={fields.data ?? []} runs={runs.slice(0, 300)} onFind={() => find(true)} />}
      {(list.error ?? fields.error) && <Failed error={(list.error ?? fields.error)!} />}
      <div class="toolbar">
        {known && <span role="status">{plural(total, "run")}</span>}
        {total > 0 && <Chosen runs={chosen} onClear={() => chooseRuns([])} />}
        <More field={fields.data?.find((f) => f.field === group)} />
        {of && <a href={`/?${parameters("q", q)}&group=${group}`}>filter, columns</a>}
        {total > 1 && ["compare", "group"].map((view, i) => <a key={view} href={`/${view}?${parameters("q", q.length ? q : ["env=*"])}${of && !i ? "&by=variant" : ""}`}>{["compare measures", "compare purposes"][i]}</a>)}
        <SaveRuns q={q} sort={sort} columns={columns.slice(1)} />
      </div>
      {!known && !list.error && !fields.error && <Loading what="runs" />}
      {known && total === 0 && !list.error && <NoRuns />}
      <Asker need={need} lines={lines.count} />
      {lines.count > 0 && (
        <Table
          label="runs"
          fill
          focus={found}
          columns={columns}
          count={lines.count}
          at={at}
          heading={(i) => {
            const { section, row } = lines.at(i);
            if (row >= 0) return null;
            const { value = "" } = sections[section]!;
            return <Heading section={sections[section]!} name={of ? "" : group!} label={of?.labels[value]} open={!closed.has(section)} onFold={() => fold(section)} />;
          }}
          sort={sort ?? undefined}
          onSort={(key) => set({ sort: key })}
          onOpen={(run) => go(runLink(run.run))}
          onToggle={toggle}
          selected={(run) => chosen.some((r) => r.run === run.run)}
          onSeen={need}
        />
      )}
      {!asked && total > 0 && fields.data && <Hidden with={shared(fields.data)} empty={empty} />}
      <Command line={lsCommand(q, sort, asked && names)} />
      {runs.some((run) => run.reason) && (
        <p class="note">
          This continues the runs that are incomplete: <code>{command("resume", ...q, "status=interrupted,failed")}</code>
          {runs.some((run) => run.reason && run.spec.env.external) && "; those in a program's environment one by one, with --env exec:CMD"}
        </p>
      )}
    </>
  );
}

/** Hidden names the columns that are left out because they are the same for all runs, or empty. */
function Hidden(props: { with: string; empty: string[] }) {
  return (
    <p class="note">
      {props.with && `All with ${props.with}. `}
      {props.empty.length > 0 && `Without a value: ${props.empty.map((c) => titleOf(c)).join(", ")}.`}
    </p>
  );
}

/** Asker reads the first runs while there is no table that would. */
function Asker({ need, lines }: { need: (from: number, to: number) => void; lines: number }) {
  useEffect(() => {
    if (lines === 0) need(0, 1);
  });
  return null;
}

/** split makes a section of each value that the runs have in a field. */
function split(q: string[], group: string | null, fields: Field[] | undefined): Section[] {
  const values = group && fields?.find((f) => f.field === group)?.values;
  return values ? values.map((v) => ({ query: [...q, v.term], total: v.runs, value: v.value })) : [{ query: q }];
}

interface Line {
  section: number;
  row: number; // −1: the section's heading
}

/** lay puts the rows of all sections below each other, each section under its heading. */
function lay(sections: Section[], headed: boolean, closed: Set<number>, total: (n: number) => number | undefined): { count: number; at: (i: number) => Line } {
  const starts = [0];
  const heading = sections.map((s) => (headed && s.total !== undefined ? 1 : 0));
  sections.forEach((_, n) => starts.push(starts[n]! + heading[n]! + (closed.has(n) ? 0 : (total(n) ?? 0))));
  const at = (i: number) => {
    const section = starts.findLastIndex((start, n) => start <= i && n < sections.length && starts[n + 1]! > i);
    return { section, row: i - starts[section]! - heading[section]! };
  };
  return { count: starts.at(-1)!, at };
}

function pickable(columns: ReturnType<typeof columnsOf>, chosen: Run[], toggle: (run: Run) => void): ReturnType<typeof columnsOf> {
  const pick = (run: Run) => (
    <input
      type="checkbox"
      tabIndex={-1}
      checked={chosen.some((r) => r.run === run.run)}
      aria-label={`select ${run.name || run.short} to compare`}
      onChange={() => toggle(run)}
    />
  );
  return [{ key: "selected", title: "", help: "select", width: 4, cell: pick }, ...columns];
}

function Heading({ section, name, label, open, onFold }: { section: Section; name: string; label?: string; open: boolean; onFold: () => void }) {
  return (
    <button type="button" class="fold" aria-expanded={open} onClick={onFold}>
      {open ? "▾" : "▸"} {name} <b>{label ?? (section.value || "none")}</b> · {plural(section.total!, "run")}
    </button>
  );
}

function Chosen({ runs, onClear }: { runs: Run[]; onClear: () => void }) {
  if (runs.length === 0) return <span class="note">Space or the box selects runs to compare</span>;
  const names = runs.map((r) => r.name || r.short);
  const [a, b, c] = names;
  return (
    <span class="chosen">
      {names.length > 4 ? plural(names.length, "run") : names.join(", ")}
      {a && b ? (
        <a class="button" href={c ? `/compare?${new URLSearchParams([["by", "run"], ...names.map((n) => ["q", n])])}` : compareLink(a, b)}>
          compare
        </a>
      ) : (
        <span class="note">and one more</span>
      )}
      <button type="button" class="quiet" onClick={onClear}>
        clear
      </button>
    </span>
  );
}

function NoRuns() {
  return (
    <Empty>
      <p>No run passes this filter.</p>
      <p>
        <a href="/runs">Show all runs</a>, or press ? for how filters are written.
      </p>
    </Empty>
  );
}

/** Welcome is the first that a new store shows. */
function Welcome({ children }: { children: ComponentChildren }) {
  return (
    <Empty>
      <h1>Welcome to podtrack</h1>
      <p>There are no runs in this store yet. This makes the first, the paper's experiment on the ring, in seconds; it appears here while it runs:</p>
      <Command line="podtrack run" />
      <p>And this makes five more, to see whether seeds agree:</p>
      <Command line="podtrack run --seeds 1-5" />
      <p class="note">With serve --store FILE, both need the same --store FILE.</p>
      {children}
    </Empty>
  );
}
