import { leads, type Plan } from "../parts/map";
import type { Table } from "../parts/ring";
import type { State } from "../types-compare";

/**
 * follow says what an option does in a state of a grid, by the moves that are most
 * likely, where podtrack why does not say it.
 */
export function follow(plan: Plan, table: Table, q: Float64Array | undefined, actions: string[], state: number): State {
  const next = leads(plan);
  const path: State["path"] = [];
  let [at, length] = [state, 0];
  for (; (table.policy[at] ?? -1) >= 0 && length <= plan.cells.length; length++) {
    const action = table.policy[at]!;
    path.push({ state: at, action: actions[action]!, reward: NaN });
    at = next(at, action);
  }
  const chosen = table.policy[state]!;
  return {
    state,
    acts: chosen >= 0,
    action: actions[chosen] ?? "",
    value: table.value[state]!,
    actions: actions.map((action, a) => ({ action, q: q?.[state * actions.length + a] ?? NaN, reward: NaN, next: next(state, a) })),
    path,
    length,
    end: length > plan.cells.length ? -1 : at,
    reward: NaN,
    discounted: NaN,
  };
}
