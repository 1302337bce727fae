/** shade is a colour for a number from −1 to 1. */
const shade = (x: number) => `color-mix(in srgb, var(--${x < 0 ? "minus" : "plus"}) ${Math.round(100 * Math.abs(x))}%, var(--panel))`;

/** Cells is a row of colours, one for each number from −1 to 1; nothing where there is none. A pointer reads them. */
export function Cells({ cells, label, tell, width }: { cells: (number | null)[]; label: string; tell?: (i: number) => string; width?: number }) {
  const stops = cells.map((x, i) => `${x === null ? "var(--rest)" : shade(x)} ${(100 * i) / cells.length}% ${(100 * (i + 1)) / cells.length}%`);
  const read = (e: MouseEvent) => {
    const el = e.currentTarget as HTMLElement;
    el.title = tell!(Math.min(cells.length - 1, Math.floor((e.offsetX * cells.length) / el.clientWidth)));
  };
  return <span class="strip" role="img" aria-label={label} onMouseMove={tell && read} style={{ width: width && `${width}px`, background: `linear-gradient(to right, ${stops.join()})` }} />;
}

/** Strip is a direction in small: its weights relative to the largest. */
export const Strip = ({ weights, label }: { weights: number[]; label: string }) => <Cells cells={weights} label={`weights of ${label}`} />;
