import { useMemo } from "preact/hooks";
import { useSteady } from "../api";
import { command } from "../command";
import { Ask, type Box } from "../parts/ask";
import { Panel, Path, StatusMark } from "../parts/panel";
import { Shown, Stage } from "../parts/states";
import { percent, plural } from "../format";
import { compareLink, lineageLink, numbered, optionLink, read, runLink, shown } from "../links";
import { set } from "../router";
import { useStages } from "../stages";
import type { Detail, Run } from "../types";
import type { Ancestor, Effects, Why } from "../types-compare";
import { label } from "./fields";
import { LaneTable, type Focus } from "./lanes";

/** LineageView draws a run's purposes over the iterations, and what led to one of its options and came of it. */
export function LineageView({ run, query }: { run: string; query: URLSearchParams }) {
  const answer = useSteady<Detail>(`/api/runs/${encodeURIComponent(run)}`);
  return (
    <Shown answer={answer} what="the run">
      {(detail) => <Page detail={detail} query={query} />}
    </Shown>
  );
}

const search: Box[] = [["find", "find", "2/3+, #37 or bit7", "options, their numbers or features of large weight, with commas between them"]];

const strongest = 40; // ancestors and descendants each that are drawn

const stages = 3; // of why, from which on the ancestors are known

const keyOf = (ref: string) => ref.slice(ref.lastIndexOf(":") + 1);
const directionOf = (ref: string) => keyOf(ref).slice(0, -1);

function Page({ detail, query }: { detail: Detail; query: URLSearchParams }) {
  const id = detail.run;
  const chosen = query.get("option");
  const at = chosen ? read(`x:${chosen}`) : null;
  const path = at && `/api/runs/${id}/iterations/${at.k}/options/${encodeURIComponent(at.j)}`;
  const why = useStages<Why>(path && `${path}/why/stages`, stages);
  const effects = useStages<Effects>(path && `${path}/effects`);
  const before = why.data?.ancestors ?? [];
  const after = effects.data?.descendants ?? [];
  const focus = useMemo((): Focus | undefined => at && chosen ? { key: chosen, k: at.k, ...influences(before, after) } : undefined, [chosen, why.data, effects.data]);
  const find = at ? [chosen!, ...[...before.slice(0, strongest), ...after.slice(0, strongest)].map((a) => directionOf(a.option))].join() : (query.get("find") ?? "");
  const name = at && numbered(chosen!, why.data?.number);
  return (
    <>
      <Path to={[[label(detail), runLink(id)]]} />
      <h1>Lineage</h1>
      <Forks detail={detail} />
      <Panel
        id="graph"
        title={at ? `Ancestors and descendants of ${name}` : "Purposes by iteration"}
        aside={at ? undefined : "click a box to see the ancestors and descendants of an option"}
        command={at ? command("why", `${label(detail)}:${chosen}`, ...(after.length > before.length ? ["--forward"] : [])) : command("plot lineage", label(detail), "-o", "lineage.svg")}
        figure={{ name: "lineage", of: [at ? `${label(detail)}:${chosen}` : label(detail)] }}
        files={why.data && at ? { name: `lineage-${at.k}-${at.j}`, json: { ancestors: why.data.ancestors, descendants: effects.data?.descendants } } : undefined}
      >
        {at ? (
          <>
            <p>
              <a href={optionLink(id, at.k, at.j)}>open option {name}</a>{" "}
              <button type="button" class="quiet" onClick={() => set({ option: at.k + "/" + at.j.slice(0, -1) + (at.j.endsWith("+") ? "-" : "+") })}>
                the other sign
              </button>{" "}
              <button type="button" class="quiet" onClick={() => set({ option: null }, false)}>
                all purposes
              </button>
            </p>
            <Stage of={why} what="ancestors" enough={stages} />
            <Stage of={effects} what="descendants" />
            <p class="note">
              {why.known >= stages && told(before, "ancestor", "None of its data was gathered by an earlier option.")} {effects.data && told(after, "descendant", "No later option has it as an ancestor.")} Strokes are as thick as the
              influence: what led here comes from the left, what came of it goes to the right.
            </p>
          </>
        ) : (
          <Ask boxes={search} query={query} verb="find">
            {/^\d+\/\d+[+-]$/.test(find) && (
              <button type="button" onClick={() => set({ option: find }, false)}>
                what led to {shown(find)}
              </button>
            )}
          </Ask>
        )}
        <LaneTable path={`/api/runs/${id}/lanes`} find={find} focus={focus} onChoose={(option) => set({ option }, false)} />
      </Panel>
    </>
  );
}

/** told says how many relatives an option has, and which is the strongest. */
function told(list: Ancestor[], what: string, none: string): string {
  if (list.length === 0) return none;
  return `${plural(list.length, what)}${list.length > strongest ? `, of which the ${strongest} of most influence are shown` : ""}; the strongest, ${numbered(keyOf(list[0]!.option), list[0]!.number)}, has ${percent(list[0]!.influence)}.`;
}

/** influences adds up both signs of a direction; those of descendants are negative. */
function influences(before: Ancestor[], after: Ancestor[]): Pick<Focus, "influence" | "most"> {
  const sums = new Map<string, number>();
  for (const [list, sign] of [[before, 1], [after, -1]] as const) for (const a of list) sums.set(directionOf(a.option), (sums.get(directionOf(a.option)) ?? 0) + sign * a.influence);
  return { influence: sums, most: Math.max(1e-9, ...[...sums.values()].map(Math.abs)) };
}

/** Forks are the runs that this one was made of, the oldest first, and those that were made of it. */
function Forks({ detail }: { detail: Detail }) {
  const forks = useSteady<Run[]>(`/api/runs/${detail.run}/forks`).data ?? [];
  if (detail.ancestors.length + forks.length === 0) return null;
  return (
    <Panel id="forks" title="Forks" command={command("ls", forks.length ? `parent=${detail.run.slice(0, 7)}*` : `run=${detail.run.slice(0, 7)}`)}>
      <p>
        {detail.ancestors.map((a) => [
          <a key={a.run} href={lineageLink(a.run)} title={a.run}>
            {a.run.slice(0, 7)}
          </a>,
          ` until iteration ${a.until} → `,
        ])}
        <b>{label(detail)}</b>
      </p>
      {forks.length > 0 && <Branches of={detail.run} forks={forks} />}
    </Panel>
  );
}

/** Branches are the forks of a run, each with those made of it below it. */
function Branches({ of, forks }: { of: string; forks: Run[] }) {
  const made = forks.filter((f) => f.ancestors.at(-1)?.run === of);
  if (made.length === 0) return null;
  return (
    <ul class="branches">
      {made.map((f) => (
        <li key={f.run}>
          → from iteration {f.ancestors.at(-1)!.until} on <a href={lineageLink(f.run)} title={f.run}>{f.name || f.short}</a> <StatusMark status={f.status} />{" "}
          <a href={compareLink(of.slice(0, 12), f.name || f.short)}>what it changed</a>
          <Branches of={f.run} forks={forks} />
        </li>
      ))}
    </ul>
  );
}
