import { heavyPause, useSteady } from "../api";
import { command } from "../command";
import { Panel, StatusMark } from "../parts/panel";
import { Empty, Shown } from "../parts/states";
import { compareLink, lineageLink, optionLink, read, runLink, shown } from "../links";
import { set } from "../router";
import type { Detail, Option, Run } from "../types";
import type { Lineage, Why } from "../types-compare";
import { Graph } from "./graph";
import { label } from "./fields";

/** LineageView draws a run's purposes over the iterations, and the ancestors of one of its options. */
export function LineageView({ run, query }: { run: string; query: URLSearchParams }) {
  const answer = useSteady<Detail>(`/api/runs/${encodeURIComponent(run)}`);
  return (
    <Shown answer={answer} what="the run">
      {(detail) => <Page detail={detail} chosen={query.get("option")} />}
    </Shown>
  );
}

function Page({ detail, chosen }: { detail: Detail; chosen: string | null }) {
  const id = detail.run;
  const options = useSteady<Option[]>(`/api/runs/${id}/options`, undefined, heavyPause);
  const lineages = useSteady<Lineage[]>(`/api/runs/${id}/lineages`, undefined, heavyPause);
  const at = chosen && read(`x:${chosen}`);
  const why = useSteady<Why>(at ? `/api/runs/${id}/iterations/${at.k}/options/${encodeURIComponent(at.j)}/why` : null);
  return (
    <>
      <p class="path">
        <a href="/">runs</a> / <a href={runLink(id)}>{label(detail)}</a> /
      </p>
      <h1>Lineage</h1>
      <Forks detail={detail} />
      <Panel
        id="graph"
        title="Purposes by iteration"
        aside={at ? `ancestors of ${at.k}/${shown(at.j)} by their influence` : "a click shows an option's ancestors"}
        command={at ? command("why", `${label(detail)}:${chosen}`, "--format", "dot") : command("plot lineage", label(detail), "-o", "lineage.svg")}
        figure={{ name: "lineage", of: [at ? `${label(detail)}:${chosen}` : label(detail)] }}
        files={why.data && at ? { name: `ancestors-${at.k}-${at.j}`, json: why.data.ancestors } : undefined}
      >
        <Shown answer={options} what="the options">
          {(all) =>
            all.length === 0 ? (
              <Empty>This run has no options yet.</Empty>
            ) : (
              <Graph options={all} lineages={lineages.data ?? []} chosen={at ? chosen : null} why={at ? why.data : undefined} onChoose={(option) => set({ option }, false)} />
            )
          }
        </Shown>
        {why.error && at && <Shown answer={why} what="its ancestors" children={() => null} />}
        {at && (
          <p>
            <a href={optionLink(id, at.k, at.j)}>
              open option {at.k}/{shown(at.j)}
            </a>{" "}
            <button type="button" class="quiet" onClick={() => set({ option: null })}>
              clear
            </button>
          </p>
        )}
      </Panel>
    </>
  );
}

/** Forks are the runs that this one was made of, the oldest first, and those that were made of it. */
function Forks({ detail }: { detail: Detail }) {
  const forks = useSteady<Run[]>(`/api/runs/${detail.run}/forks`).data ?? [];
  if (detail.ancestors.length + forks.length === 0) return null;
  return (
    <Panel id="forks" title="Forks" command={command("ls", forks.length ? `parent=${detail.run.slice(0, 7)}*` : `run=${detail.run.slice(0, 7)}`)}>
      <p>
        {detail.ancestors.map((a) => [
          <a key={a.run} href={lineageLink(a.run)}>
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
          → from iteration {f.ancestors.at(-1)!.until} on <a href={lineageLink(f.run)}>{f.name || f.short}</a> <StatusMark status={f.status} />{" "}
          <a href={compareLink(of.slice(0, 12), f.name || f.short)}>what it changed</a>
          <Branches of={f.run} forks={forks} />
        </li>
      ))}
    </ul>
  );
}
