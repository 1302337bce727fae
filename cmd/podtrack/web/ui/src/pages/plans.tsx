import { useReducer } from "preact/hooks";
import { useSteady } from "../api";
import { useRunRows } from "../events";
import { plural, whole } from "../format";
import { parameters } from "../links";
import type { Plans as Told, Progress, Status } from "../types";

const pause = 1000; // milliseconds: a sweep writes all the time
const few = 4;

/** Plans shows how far the tags are that have a plan and that the filter touches; null is none yet. */
export function Plans({ q }: { q: string[] | null }) {
  const [ended, end] = useReducer((n: number) => n + 1, 0);
  useRunRows((run) => run.status === "running" || end(undefined)); // which one that died does not write
  const { data } = useSteady<Told>(q && `/api/plans?${parameters("q", q)}`, undefined, pause, ended);
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
          <a href={`/?${parameters("q", [`tag=${p.tag}`])}`}>{p.tag}</a> <span class="note">{said(p)}</span>
          <div class="track" role="progressbar" aria-label={p.tag} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.floor(100 * share(p))} aria-valuetext={said(p)}>
            <span style={{ width: `${100 * share(p)}%` }} />
          </div>
        </li>
      ))}
    </ul>
  );
}

const share = (p: Progress) => Math.min(1, p.target ? p.iterations / p.target : p.complete / p.planned);

const states: Status[] = ["running", "interrupted", "failed"];

/** said is what ls says of it. */
function said(p: Progress): string {
  const parts = [`${whole(p.complete)} of ${whole(p.planned)} complete`];
  for (const s of states) if (p[s]) parts.push(`${whole(p[s])} ${s}`);
  if (p.missing && !p.running) parts.push(`${whole(p.missing)} missing`);
  if (p.left !== null) parts.push(`about ${roughly(p.left)} left`);
  return parts.join(", ");
}

function roughly(seconds: number): string {
  const [size, unit] = seconds < 100 ? [1, "s"] : seconds < 6000 ? [60, "min"] : seconds < 259_200 ? [3600, "h"] : [86_400, "days"];
  return `${whole(Math.max(1, Math.round(seconds / Number(size))))} ${unit}`;
}
