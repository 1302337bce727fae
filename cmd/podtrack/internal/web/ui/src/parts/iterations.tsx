import { set } from "../router";
import type { Detail } from "../types";

/** OfIteration chooses an iteration of a run, or all, in a parameter of the address; others that only make sense with it are taken away. */
export function OfIteration({ detail, name, k, all, without = [] }: { detail: Detail; name: string; k: string | null; all: string; without?: string[] }) {
  const none = Object.fromEntries(without.map((other) => [other, null]));
  return (
    <label>
      of{" "}
      <select value={k ?? ""} onChange={(e) => set({ ...none, [name]: e.currentTarget.value || null }, false)}>
        <option value="">{all}</option>
        {detail.history.map((it) => (
          <option key={it.k} value={String(it.k)}>
            iteration {it.k}
          </option>
        ))}
      </select>
    </label>
  );
}
