import { term } from "../filter";
import { useReducer } from "preact/hooks";
import { useSteady } from "../api";
import { useRevision, useRunRows } from "../events";
import { plural } from "../format";
import { parameters, studyLink } from "../links";
import type { Plans as Told, Progress } from "../types";

const few = 4;

/** Plans shows how far the tags are that have a plan and that the filter touches; null is none yet. */
export function Plans({ q }: { q: string[] | null }) {
  const [ended, end] = useReducer((n: number) => n + 1, 0);
  useRunRows((run) => run.status === "running" || end(undefined)); // which one that died does not write
  const { data } = useSteady<Told>(q && `/api/plans?${parameters("q", q)}`, undefined, undefined, `${useRevision()} ${ended}`);
  if (!data?.total) return null;
  return (
    <section aria-label="plans">
      <Bars plans={data.plans.slice(0, few)} />
      {data.total > few && (
        <details>
          <summary>{plural(data.total - few, "more plan")}</summary>
          <Bars plans={data.plans.slice(few)} />
        </details>
      )}
    </section>
  );
}

function Bars({ plans }: { plans: Progress[] }) {
  return (
    <ul class="plans">
      {plans.map((p) => (
        <li key={p.tag}>
          <a href={p.study ? studyLink(p.tag) : `/?${parameters("q", [term("tag", p.tag)])}`}>{p.tag}</a> <span class="note">{p.text}</span>
          <div class="track" role="progressbar" aria-label={p.tag} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.floor(100 * p.share)} aria-valuetext={p.text}>
            <span style={{ width: `${100 * p.share}%` }} />
          </div>
        </li>
      ))}
    </ul>
  );
}
