import { useState } from "preact/hooks";
import { num } from "../format";

const most = 40; // features shown before the reader asks for all

/** Bars draws purposes over the features: one bar each, beside each other. */
export function Bars({ features, vectors, labels }: { features: string[]; vectors: number[][]; labels: string[] }) {
  const [all, showAll] = useState(false);
  const scale = Math.max(1e-300, ...vectors.flat().map(Math.abs));
  const weight = (i: number) => Math.max(...vectors.map((v) => Math.abs(v[i] ?? 0)));
  let rows = features.map((_, i) => i);
  if (!all && rows.length > most) {
    const strongest = new Set(rows.toSorted((a, b) => weight(b) - weight(a)).slice(0, most));
    rows = rows.filter((i) => strongest.has(i));
  }
  return (
    <div class="scroll" tabIndex={0}>
      <table class="bars" aria-label={`weights of the features: ${labels.join(", ")}`}>
        <thead>
          <tr>
            <th scope="col">feature</th>
            {labels.map((label) => (
              <th key={label} scope="col" colSpan={2}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((i) => (
            <tr key={i}>
              <th scope="row">{features[i]}</th>
              {vectors.map((v, n) => (
                <Bar key={n} x={v[i] ?? 0} scale={scale} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length < features.length && (
        <button type="button" class="quiet" onClick={() => showAll(true)}>
          show all {features.length} features, not only the {most} of largest weight
        </button>
      )}
    </div>
  );
}

function Bar({ x, scale }: { x: number; scale: number }) {
  const half = (50 * Math.abs(x)) / scale;
  return (
    <>
      <td class="track" aria-hidden="true">
        <span class={x < 0 ? "bar minus" : "bar plus"} style={{ left: `${x < 0 ? 50 - half : 50}%`, width: `${half}%` }} />
      </td>
      <td class="right">{num(x, 4)}</td>
    </>
  );
}
