import { useEffect, useRef } from "preact/hooks";
import { heavyPause, useSteady } from "../api";
import { Empty, Shown } from "../parts/states";
import { isFilter } from "../filter";
import { parameters } from "../links";
import { set } from "../router";
import type { Compare, OptionsDiff, RunsDiff, Several } from "../types-compare";
import { Contrasts } from "./contrasts";
import { SeveralGroups } from "./several";
import { RunsCompared } from "./diffruns";
import { OptionsCompared } from "./diffoptions";

/** CompareView compares two references by meaning, or two filters by their measures. */
export function CompareView({ query }: { query: URLSearchParams }) {
  const a = query.get("a") ?? "";
  const b = query.get("b") ?? "";
  const c = query.get("c") ?? "";
  const paired = query.get("paired") ?? "";
  const measure = query.get("measure") ?? "";
  const filters = [a, b, ...split(c)];
  return (
    <>
      <h1>Compare</h1>
      <Two a={a} b={b} c={c} paired={paired} measure={measure} />
      {a && b ? (
        isFilter(a) || isFilter(b) ? (
          filters.length > 2 ? (
            <Groups filters={filters} paired={paired} measure={measure} />
          ) : (
            <Filters a={a} b={b} paired={paired} measure={measure} />
          )
        ) : (
          <References a={a} b={b} />
        )
      ) : (
        <Empty>
          <p>Name two runs, iterations or options, or two filters.</p>
          <p class="note">
            p3-s7 and p3-s8, p3-s7:3 and p3-s8:3, p3-s7:0/1+ and p3-s8:0/1+, or <code>reading=as-written</code> and <code>reading=as-published</code>. On <a href="/">the
            list of runs</a>, Space selects two.
          </p>
        </Empty>
      )}
    </>
  );
}

/** split returns the groups of a text with semicolons between them. */
const split = (groups: string) => groups.split(";").map((g) => g.trim()).filter((g) => g !== "");

function Two({ a, b, c, paired, measure }: { a: string; b: string; c: string; paired: string; measure: string }) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    for (const [name, value] of [["a", a], ["b", b], ["c", c], ["paired", paired], ["measure", measure]] as const) (form.current!.elements.namedItem(name) as HTMLInputElement).value = value;
  }, [a, b, c, paired, measure]);
  const ask = (event: Event) => {
    event.preventDefault();
    const data = new FormData(form.current!);
    const text = (name: string) => String(data.get(name)).trim();
    set({ a: text("a"), b: text("b"), c: text("c") || null, paired: text("paired") || null, measure: text("measure") || null }, false);
  };
  return (
    <form class="controls" ref={form} onSubmit={ask}>
      <label class="grow">
        a
        <input name="a" data-filter defaultValue={a} placeholder="RUN, RUN:K, RUN:K/J+ or a filter" spellcheck={false} autocomplete="off" />
      </label>
      <label class="grow">
        b
        <input name="b" defaultValue={b} placeholder="the same kind of thing" spellcheck={false} autocomplete="off" />
      </label>
      <label class="grow" title="of filters: other groups to compare with a, with semicolons between them">
        more groups
        <input name="c" defaultValue={c} placeholder="kappa=2; kappa=4" spellcheck={false} autocomplete="off" />
      </label>
      <label title="of filters: pair the runs that have the same value of a field of the spec, such as seed">
        paired by
        <input name="paired" class="short" defaultValue={paired} placeholder="nothing" spellcheck={false} autocomplete="off" />
      </label>
      <label title="of filters: a list of measures, such as covered,entropy; all takes those that are recorded, exploration those of exploration">
        measures
        <input name="measure" class="short" defaultValue={measure} placeholder="of Table 1" spellcheck={false} autocomplete="off" />
      </label>
      <button type="submit">compare</button>
      <button type="button" class="quiet" onClick={() => set({ a: b, b: a })} aria-label="exchange a and b">
        ⇄
      </button>
    </form>
  );
}

function Groups({ filters, paired, measure }: { filters: string[]; paired: string; measure: string }) {
  const query = new URLSearchParams(filters.map((f) => ["group", f]));
  if (paired) query.set("paired", paired);
  if (measure) query.set("measure", measure);
  const answer = useSteady<Several>(`/api/compare?${query}`, undefined, heavyPause);
  return (
    <Shown answer={answer} what="all groups">
      {(c) => <SeveralGroups compare={c} filters={filters} flags={flags(paired, measure)} />}
    </Shown>
  );
}

/** flags are those of compare that are given. */
const flags = (paired: string, measure: string): Record<string, string> => ({ ...(paired && { paired }), ...(measure && { measure }) });

function Filters({ a, b, paired, measure }: { a: string; b: string; paired: string; measure: string }) {
  const answer = useSteady<Compare>(`/api/compare?${parameters("a", a)}&${parameters("b", b)}&${new URLSearchParams(flags(paired, measure))}`, undefined, heavyPause);
  return (
    <Shown answer={answer} what="both groups">
      {(c) => <Contrasts compare={c} a={a} b={b} flags={flags(paired, measure)} />}
    </Shown>
  );
}

function References({ a, b }: { a: string; b: string }) {
  const answer = useSteady<RunsDiff | OptionsDiff>(`/api/diff?${new URLSearchParams({ a, b })}`, undefined, heavyPause);
  return (
    <Shown answer={answer} what="both">
      {(d) => ("pair" in d ? <OptionsCompared diff={d} a={a} b={b} /> : <RunsCompared diff={d} a={a} b={b} />)}
    </Shown>
  );
}
