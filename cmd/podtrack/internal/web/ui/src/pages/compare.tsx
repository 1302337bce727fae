import { heavyPause, useSteady } from "../api";
import { command } from "../command";
import { Ask, type Box } from "../parts/ask";
import { Panel } from "../parts/panel";
import { Specs } from "../parts/specs";
import { Empty, Failed, Loading, Shown } from "../parts/states";
import { groups, isFilter, terms, written } from "../filter";
import { parameters } from "../links";
import { set } from "../router";
import type { Field } from "../types";
import type { Compare, Incomparable, OptionsDiff, RunsDiff, Summaries } from "../types-compare";
import { Completions } from "./controls";
import { Compared } from "./compared";
import { Curves } from "./curves";
import { OptionsCompared } from "./diffoptions";
import { RunsCompared } from "./diffruns";
import { differing } from "./fields";

const boxes: Box[] = [
  ["a", "runs", "study=rooms, another filter, or RUN, RUN:K, RUN:K/J+"],
  ["b", "compared with", "nothing", "another of the same kind; more filters, separated by semicolons"],
  ["paired", "paired by", "nothing", "for filters: pair the runs that have the same value of a field of the spec, such as seed"],
  ["measure", "measures", "of Table 1", "a list of measures, such as covered,entropy; all takes those that are recorded, exploration those of exploration"],
];

/** CompareView compares the runs of a filter, split by fields, or two references by meaning, or several filters. */
export function CompareView({ query }: { query: URLSearchParams }) {
  const q = query.getAll("q");
  const [a, b] = [query.get("a") ?? "", query.get("b") ?? ""];
  const fields = useSteady<Field[]>("/api/fields?").data ?? [];
  const shown = new URLSearchParams(query);
  if (q.length) shown.set("a", written(q));
  const others = groups(b);
  return (
    <>
      <h1>Compare</h1>
      <Ask
        boxes={boxes}
        query={shown}
        verb="compare"
        wide={2}
        suggest={(typed) => <Completions typed={typed} fields={fields} />}
        onAsk={(asked) => (asked.b ? { ...asked, q: null, by: null } : { ...asked, a: null, q: terms(String(asked.a ?? "")) })}
      >
        {b && (
          <button type="button" class="quiet" onClick={() => set({ a: b, b: a })} aria-label="exchange the two">
            ⇄
          </button>
        )}
      </Ask>
      {q.length > 0 ? (
        <Many q={q} query={query} />
      ) : a && b ? (
        isFilter(a) || isFilter(b) ? (
          <Filters filters={[a, ...others]} query={query} />
        ) : (
          <References a={a} b={b} query={query} />
        )
      ) : (
        <Empty>
          <p>
            Give a filter to see all its runs together and to split them{known(fields)}, or see <a href="/compare?q=env%3D*">all runs</a>. Or name two runs, iterations or options, or two filters: p3-s7 and p3-s8, p3-s7:3 and p3-s8:3,
            p3-s7:0/1+ and p3-s8:0/1+, or <code>reading=as-written</code> and <code>reading=as-published</code>.
          </p>
        </Empty>
      )}
    </>
  );
}

/** known leads to what there is in the store: its studies and tags. */
function known(fields: Field[]) {
  const found = fields.filter((f) => /^(study|tag)$/.test(f.field)).flatMap((f) => f.values.filter((v) => v.value));
  return found.slice(0, 9).map((v, i) => [i ? ", " : ": ", <a href={`/compare?${parameters("q", [v.term])}${v.term.startsWith("study") ? "&by=variant" : ""}`}>{v.term}</a>]);
}

/** flagsOf are those of compare that are given. */
const flagsOf = (query: URLSearchParams): Record<string, string> => Object.fromEntries(["paired", "measure", "by"].flatMap((name) => (query.get(name) ? [[name, query.get(name)!]] : [])));

const words = (flags: Record<string, string>) => Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);

/** Many shows the runs of a filter, as one group or split by the fields. */
function Many({ q, query }: { q: string[]; query: URLSearchParams }) {
  const by = (query.get("by") ?? "").split(",").filter(Boolean);
  const fields = useSteady<Field[]>(`/api/fields?${parameters("q", q)}`).data;
  const of = new URLSearchParams(parameters("q", q));
  if (by.length) of.set("by", by.join());
  const toggle = (field: string) => set({ by: (by.includes(field) ? by.filter((f) => f !== field) : [...by, field]).join() || null });
  const flags = flagsOf(query);
  return (
    <>
      <p class="toolbar" role="group" aria-label="split by" title="run takes each run by itself">
        split by
        {[...new Set([...(fields ? differing(fields) : []), "run", ...by])].map((field) => (
          <button key={field} type="button" class={by.includes(field) ? "" : "quiet"} aria-pressed={by.includes(field)} onClick={() => toggle(field)}>
            {field}
          </button>
        ))}
        <a href={`/group?${parameters("q", q)}`}>their distinct purposes</a>
      </p>
      {by.length > 0 && <Curves of={q} by={by.join()} query={query} />}
      <Measures of={of} by={by} drawn={{ name: "measures", of: q, flags: by.length ? { by: by.join() } : {} }} line={by.length ? command("compare", ...q, ...words(flags)) : command("show", "--group", ...q, ...words(flags))} query={query} />
    </>
  );
}

function Filters({ filters, query }: { filters: string[]; query: URLSearchParams }) {
  const of = new URLSearchParams(filters.map((f) => ["group", f]));
  return (
    <Measures of={of} by={[]} line={command("compare", ...filters, ...words(flagsOf(query)))} query={query} />
  );
}

/** Measures compares the measures of groups, or summarises those of one group. */
function Measures({ of, by, line, query, ...rest }: { of: URLSearchParams; by: string[]; line: string; query: URLSearchParams } & Omit<Parameters<typeof Compared>[0], "compare" | "command" | "by">) {
  const asked = new URLSearchParams(of);
  for (const name of ["measure", "paired"]) if (query.get(name)) asked.set(name, query.get(name)!);
  const single = of.has("q") && !by.length;
  if (single) asked.delete("paired");
  const answer = useSteady<Compare | Summaries>(`/api/${single ? "measures" : "compare"}?${asked}`, undefined, heavyPause);
  return (
    <Shown answer={answer} what="all groups">
      {(c) => <Compared compare={c} by={by} command={line} {...rest} />}
    </Shown>
  );
}

/** References compares two runs, iterations or options by meaning, or by their specs alone. Of runs, the walks and measures are compared, too. */
function References({ a, b, query }: { a: string; b: string; query: URLSearchParams }) {
  const answer = useSteady<RunsDiff | OptionsDiff | Incomparable>(`/api/diff?${new URLSearchParams({ a, b, specs: "true" })}`, undefined, heavyPause);
  const d = answer.data;
  const runs = !/:/.test(a + b) && a !== b;
  const of = new URLSearchParams([["group", a], ["group", b]]);
  return (
    <>
      {answer.error && <Failed error={answer.error} />}
      {answer.loading && <Loading what="both" />}
      {d &&
        ("incomparable" in d ? (
          <Panel id="specs" title="Specs">
            <p class="note">Records do not compare: {d.incomparable.error}.</p>
            <Specs differences={d.spec} />
          </Panel>
        ) : "pair" in d ? (
          <OptionsCompared diff={d} a={a} b={b} />
        ) : (
          <RunsCompared diff={d} a={a} b={b} />
        ))}
      {runs && answer.error?.status !== 404 && (
        <>
          <Curves of={[a, b]} by="run" query={query} />
          <Measures of={of} by={["run"]} drawn={{ name: "measures", of: [a, b], flags: { by: "run" } }} line={command("compare", a, b)} query={query} brief />
        </>
      )}
    </>
  );
}
