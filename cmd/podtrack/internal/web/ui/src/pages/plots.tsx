import { command } from "../command";
import { OfIteration } from "../parts/ask";
import { Panel } from "../parts/panel";
import { Plotted } from "../parts/plotted";
import { Empty } from "../parts/states";
import { short } from "../format";
import type { Detail } from "../types";
import { label } from "./fields";
import { valueOf } from "./measures";

// Parts of the view of a run that are figures of podtrack plot.

/** Walk is the position over time, of the whole run or one iteration; where states have no distances, the states visited. */
export function Walk({ detail, k }: { detail: Detail; k: string | null }) {
  const of = k === null ? label(detail) : `${label(detail)}:${k}`;
  const figure = { name: detail.history.some((it) => valueOf(it, "distance") !== null) ? "walk" : "coverage", of: [of] };
  return (
    <Panel id="walk" title="Walk" aside={<OfIteration detail={detail} name="k" k={k} all="the whole run" />} command={command(`plot ${figure.name}`, of, "-o", `${figure.name}.svg`)} figure={figure}>
      <Plotted figure={figure} on={detail.head} />
    </Panel>
  );
}

/** VisitsPanel is when the run first visited each state, or which states it first visited in an iteration. */
export function VisitsPanel({ detail, k }: { detail: Detail; k: string | null }) {
  const of = k === null ? label(detail) : `${label(detail)}:${k}`;
  const figure = { name: "visits", of: [of] };
  return (
    <Panel id="visits" title="States visited" aside={<OfIteration detail={detail} name="visits" k={k} all="all iterations" />} command={command("plot visits", of, "-o", "visits.svg")} figure={figure}>
      <Plotted figure={figure} on={detail.head} />
    </Panel>
  );
}

/** Purposes are the eigenpurposes of imported rows, which have no actions. */
export function Purposes({ detail }: { detail: Detail }) {
  const found = detail.history.flatMap((it) => (it.eigenpurposes ?? []).map((p) => ({ ...p, k: it.k })));
  const figure = { name: "purposes", of: [label(detail)] };
  return (
    <Panel id="purposes" title="Eigenpurposes" command={command("show", label(detail))} files={{ name: `${label(detail)}-eigenpurposes`, json: found }} figure={figure}>
      {found.length === 0 ? (
        <Empty>No singular value exceeds κ, so there is no eigenpurpose. A run with a lower --kappa has some.</Empty>
      ) : (
        <Plotted figure={figure} on={detail.head} />
      )}
    </Panel>
  );
}

/** ruled says what is selected. */
function ruled(spec: Detail["spec"]): string {
  const select = String(spec.select);
  if (select === "below") return `selected at κ = ${short(spec.kappa)} and below`;
  if (select === "threshold") return `selected above κ = ${short(spec.kappa)}`;
  if (/^(novel|sample)/.test(select)) return `selected above κ = ${short(spec.kappa)} and by the rule ${select}`;
  return `selected by the rule ${select}`;
}

/** Spectrum shows the singular values of each iteration, with κ, above which a direction is selected. */
export function Spectrum({ detail }: { detail: Detail }) {
  const known = detail.history.filter((it) => it.sigma !== null);
  if (known.length === 0)
    return (
      <Panel id="spectrum" title="Spectrum">
        <p class="empty">The factors were pruned. podtrack repair --pruned {label(detail)} computes them again.</p>
      </Panel>
    );
  const figure = { name: "spectrum", of: [label(detail)] };
  const csv = { head: ["k", "j", "sigma"], rows: known.flatMap((it) => it.sigma!.map((s, i) => [it.k, i + 1, s])) };
  return (
    <Panel
      id="spectrum"
      title="Spectrum"
      aside={`σ ${detail.spec.method === undefined ? "of D" : `by the method ${detail.spec.method}`} by direction, on a logarithmic scale; ${ruled(detail.spec)}`}
      command={command("plot spectrum", label(detail), "-o", "spectrum.svg")}
      files={{ name: `${label(detail)}-spectrum`, csv }}
      figure={figure}
    >
      <Plotted figure={figure} on={detail.head} />
    </Panel>
  );
}
