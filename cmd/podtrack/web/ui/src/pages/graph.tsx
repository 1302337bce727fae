import { num, percent } from "../format";
import { name, read, shown } from "../links";
import type { Option } from "../types";
import type { Lineage, Why } from "../types-compare";

const across = 132; // pixels from one iteration to the next
const down = 22; // pixels from one option to the next
const top = 26;

interface Node {
  key: string; // K/J±
  x: number;
  y: number;
  option: Option;
}

/** place puts the options of an iteration below each other, iterations side by side. */
function place(options: Option[]): Map<string, Node> {
  const filled = new Map<number, number>();
  const nodes = new Map<string, Node>();
  for (const option of options) {
    const n = filled.get(option.k) ?? 0;
    filled.set(option.k, n + 1);
    const key = `${option.k}/${name(option.j, option.sign)}`;
    nodes.set(key, { key, x: 12 + option.k * across, y: top + n * down, option });
  }
  return nodes;
}

const keyOf = (ref: string) => {
  const at = read(ref);
  return at ? `${at.k}/${at.j}` : "";
};

/** Graph joins the options that pursue the same purpose, and marks the ancestors of the chosen one. */
export function Graph(props: { options: Option[]; lineages: Lineage[]; chosen: string | null; why?: Why; onChoose: (key: string) => void }) {
  const nodes = place(props.options);
  const all = [...nodes.values()];
  const width = Math.max(...all.map((n) => n.x)) + across;
  const height = Math.max(...all.map((n) => n.y)) + down;
  const influence = new Map((props.why?.ancestors ?? []).map((a) => [keyOf(a.option), a]));
  const target = props.chosen ? nodes.get(props.chosen) : undefined;
  const most = Math.max(1e-9, ...[...influence.values()].map((a) => a.influence));

  return (
    <div class="scroll">
      <svg class="graph" width={width} height={height} role="group" aria-label="options by iteration; lines join the same purpose, and an option with its ancestors">
        {[...new Set(all.map((n) => n.option.k))].map((k) => (
          <text key={k} class="title" x={12 + k * across} y={14}>
            iteration {k}
          </text>
        ))}
        {props.lineages.flatMap((l) =>
          l.purposes.slice(1).map((p, i) => {
            const from = nodes.get(keyOf(l.purposes[i]!));
            const to = nodes.get(keyOf(p));
            return from && to && <path key={p} class="same" d={curve(from, to)} />;
          }),
        )}
        {target &&
          [...influence].map(([key, a]) => {
            const from = nodes.get(key);
            return from && a.share > 0 && <path key={key} class="cause" d={curve(from, target)} style={{ strokeWidth: `${0.5 + 9 * a.share}px` }} />;
          })}
        {all.map((n) => (
          <Box key={n.key} node={n} chosen={n === target} part={influence.get(n.key)?.influence} most={most} dim={target !== undefined && n !== target && !influence.has(n.key)} onChoose={props.onChoose} />
        ))}
      </svg>
    </div>
  );
}

const box = { width: 62, height: 18 };

function curve(a: Node, b: Node): string {
  const [x, y] = [a.x + box.width, a.y + box.height / 2];
  const [u, v] = [b.x, b.y + box.height / 2];
  const bend = Math.max(20, (u - x) / 2);
  return `M${x} ${y}C${x + bend} ${y} ${u - bend} ${v} ${u} ${v}`;
}

function Box(props: { node: Node; chosen: boolean; part?: number; most: number; dim: boolean; onChoose: (key: string) => void }) {
  const { node, part } = props;
  const { option } = node;
  const label = `option ${shown(node.key)}, σ ${num(option.sigma, 3)}, ${option.calls} calls${part === undefined ? "" : `, influence ${percent(part)}`}`;
  const choose = () => props.onChoose(node.key);
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose();
  };
  return (
    <g class={`node${props.chosen ? " chosen" : ""}${props.dim ? " dim" : ""}`} role="button" tabIndex={0} aria-label={label} aria-pressed={props.chosen} onClick={choose} onKeyDown={press}>
      <title>{label}</title>
      <rect x={node.x} y={node.y} width={box.width} height={box.height} rx={4} />
      {part !== undefined && <rect class="part" x={node.x} y={node.y} width={(box.width * part) / props.most} height={box.height} rx={4} />}
      <text x={node.x + 6} y={node.y + 13}>
        {shown(node.key)}
      </text>
    </g>
  );
}
