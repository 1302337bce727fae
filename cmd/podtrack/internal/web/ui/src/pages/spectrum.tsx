import { command } from "../command";
import { Panel } from "../parts/panel";
import { Plotted } from "../parts/plotted";
import { short } from "../format";
import type { Detail } from "../types";
import { label } from "./fields";

/** ruled says what is selected. */
function ruled(spec: Detail["spec"]): string {
  const select = String(spec.select);
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
