import { useMemo } from "preact/hooks";
import { num } from "../format";
import { colour } from "../theme";
import { Chart, left, room, wholes } from "./chart";

/** Band is a curve of a group of runs: the means, with an interval of each where it has several runs. */
export interface Band {
  name: string;
  mean: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
  ink?: number; // of the colour that it has elsewhere, too
}

const colours = 7; // from then on lines are dashed, as in figures

/** BandChart draws the means of groups over x with bands of their intervals. */
export function BandChart({ label, x, across, up, bands, digits = 0, height = 240, range }: { label: string; x: number[]; across: string; up: string; bands: Band[]; digits?: number; height?: number; range?: (low: number, high: number) => [number, number] }) {
  const data = useMemo((): uPlot.AlignedData => [x, ...bands.flatMap((b) => [b.mean, b.low, b.high])], [x, bands]);
  const build = () => {
    const ink = (i: number) => colour(`series-${bands[i]!.ink ?? i % colours}`);
    const edge = { stroke: "transparent", points: { show: false } };
    const read = (b: Band, at: number) => num(b.mean[at], digits) + (b.low[at] == null ? "" : ` [${num(b.low[at], digits)}, ${num(b.high[at], digits)}]`);
    return {
      padding: room,
      scales: { x: { time: false }, y: range ? { range: (_: uPlot, low: number, high: number) => range(low, high) } : {} },
      axes: [wholes(across), left(up)],
      series: [
        { label: across },
        ...bands.flatMap((b, i) => [
          { label: b.name, stroke: ink(i), width: 2, dash: i < colours ? undefined : [6, 4], points: { show: x.length < 40, size: 5 }, tell: (at: number) => read(b, at) },
          edge,
          edge,
        ]),
      ],
      bands: bands.map((_, i) => ({ series: [3 * i + 3, 3 * i + 2] as [number, number], fill: `color-mix(in srgb, ${ink(i)} 16%, transparent)` })),
      cursor: { drag: { x: true, y: false } },
    };
  };
  return <Chart label={label} build={build} of={[data, up]} data={data} height={height} />;
}
