import { useMemo } from "preact/hooks";
import { command } from "../command";
import uPlot from "uplot";
import { Chart, left, wholes } from "../parts/chart";
import { Panel } from "../parts/panel";
import { short } from "../format";
import { colour } from "../theme";
import type { Detail, Iteration } from "../types";
import { label } from "./fields";

const most = 12; // iterations drawn

/** spread picks at most n of the iterations, the first and the last among them. */
function spread(history: Iteration[], n: number): Iteration[] {
  if (history.length <= n) return history;
  return Array.from({ length: n }, (_, i) => history[Math.round((i * (history.length - 1)) / (n - 1))]!);
}

/** ruled says what is selected, and whether κ is a line among the σ. */
function ruled(spec: Detail["spec"]): [string, boolean] {
  const select = String(spec.select);
  if (select === "threshold") return [`selected above κ = ${short(spec.kappa)}`, true];
  if (/^(novel|sample)/.test(select)) return [`selected above κ = ${short(spec.kappa)} and by the rule ${select}`, true];
  return [`selected by the rule ${select}`, false];
}

/** Spectrum draws the singular values of each iteration, with κ, above which a direction is selected. */
export function Spectrum({ detail }: { detail: Detail }) {
  const known = detail.history.filter((it) => it.sigma !== null);
  const chosen = useMemo(() => spread(known, most), [detail.history]);
  const [rule, line] = ruled(detail.spec);
  const kappa = line ? detail.spec.kappa : 0;
  const count = Math.max(1, ...chosen.map((it) => it.sigma!.length));
  const data = useMemo((): uPlot.AlignedData => {
    const x = Array.from({ length: count }, (_, i) => i + 1);
    const lines = chosen.map((it) => x.map((j) => positive(it.sigma![j - 1])));
    return [x, ...lines, x.map(() => (kappa > 0 ? kappa : null))];
  }, [chosen]);
  const build = () => ({
    scales: { x: { time: false, range: (): [number, number] => [0.6, count + 0.4] }, y: { distr: 3 as const, range: (_: uPlot, low: number, high: number) => uPlot.rangeLog(low / 1.3, high, 10, false) } },
    axes: [wholes("j"), left("σ")],
    cursor: { drag: { x: false, y: false } },
    series: [
      { label: "j" },
      ...chosen.map((it, i) => ({
        label: `k=${it.k}`,
        stroke: fade(chosen.length < 2 ? 1 : i / (chosen.length - 1)),
        width: 1.6,
        points: { show: count < 40, size: 5 },
      })),
      { label: "κ", show: kappa > 0, stroke: colour("series-1"), width: 1.5, dash: [6, 4], points: { show: false } },
    ],
  });
  if (known.length === 0)
    return (
      <Panel id="spectrum" title="Spectrum">
        <p class="empty">The factors were pruned. podtrack repair --pruned {label(detail)} computes them again.</p>
      </Panel>
    );
  const csv = { head: ["k", "j", "sigma"], rows: known.flatMap((it) => it.sigma!.map((s, i) => [it.k, i + 1, s])) };
  return (
    <Panel
      id="spectrum"
      title="Spectrum"
      aside={`σ ${detail.spec.method === undefined ? "of D" : `by the method ${detail.spec.method}`} by direction, on a logarithmic scale; ${rule}${known.length > most ? `; ${most} of ${known.length} iterations` : ""}`}
      command={command("plot spectrum", label(detail), "-o", "spectrum.svg")}
      files={{ name: `${label(detail)}-spectrum`, csv }}
      figure={{ name: "spectrum", of: [label(detail)] }}
    >
      <Chart label={`singular values of ${chosen.length} iterations; ${rule}`} build={build} of={[data]} data={data} height={260} />
    </Panel>
  );
}

const positive = (x: number | undefined) => (x !== undefined && x > 1e-12 ? x : null);

/** fade goes from the colour of the first iteration to that of the last. */
function fade(share: number): string {
  return `color-mix(in oklab, ${colour("accent")} ${Math.round(40 + 60 * share)}%, ${colour("panel")})`;
}
