import { useMemo } from "preact/hooks";
import { useAnswer, type Failure } from "../api";
import { named, placeOf, type Axis } from "./axis";
import type { Plan } from "./map";

// Planes for states that no grid places: a ring folded into rows, and the spectral
// layout of the states that a run visited.

interface Layout {
  states: number[];
  places: [number, number][]; // to the right and downwards
  width: number;
  height: number;
  edges: [number, number][];
  next: number[][]; // by state and action, −1 if it was not tried
}

const most = 1 << 14; // states of a ring that are folded

/** fold puts the states of a ring into rows of their high bits and columns of their low bits, as far as some want them. */
export function fold(axis: Axis, n: number, wants: (state: number) => boolean = () => true): Plan | undefined {
  if (axis.first >= 0 || n > most || n < 4) return undefined;
  const columns = 2 ** Math.ceil(Math.log2(n) / 2);
  const rowOf = (s: number) => Math.floor((placeOf(axis, n, s) - axis.first) / columns);
  const rows = Array.from({ length: n }, (_, s) => s).filter(wants).map(rowOf);
  const [low, high] = [rows.reduce((a, b) => Math.min(a, b), n), rows.reduce((a, b) => Math.max(a, b), 0)];
  const plan: Plan = { rows: high - low + 1, columns, cells: [], headings: [[0, -1], [0, 1]], start: 0, goal: -1, name: named(axis, n), next: (s, a) => (s + 2 * a - 1 + n) % n };
  for (let s = 0; s < n; s++) if (rowOf(s) >= low && rowOf(s) <= high) plan.cells[s] = [rowOf(s) - low, (placeOf(axis, n, s) - axis.first) % columns];
  return plan;
}

function spread(l: Layout): Plan {
  const plan: Plan = { rows: Math.ceil(l.height), columns: Math.ceil(l.width), cells: [], headings: [], start: l.states[0]!, goal: -1, edges: l.edges, name: String };
  const next = new Map(l.states.map((s, i) => [s, l.next[i]!]));
  l.states.forEach((s, i) => (plan.cells[s] = [l.places[i]![1] - 0.5, l.places[i]![0] - 0.5]));
  plan.next = (s, a) => next.get(s)?.[a] ?? -1;
  return plan;
}

/** usePlane is the map of a run's states: that of its grid, or the layout of what it visited; none of a ring. */
export function usePlane(run: string, world?: { plan: Plan | null; axis: Axis }): { plan?: Plan; error?: Failure; loading: boolean } {
  const lacks = world && !world.plan && world.axis.first === 0;
  const layout = useAnswer<Layout>(lacks ? `/api/runs/${encodeURIComponent(run)}/layout` : null);
  const plan = useMemo(() => layout.data && spread(layout.data), [layout.data]);
  return { plan: world?.plan ?? plan, error: layout.error, loading: layout.loading };
}
