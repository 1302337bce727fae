import type { Difference } from "../types-compare";
import { Rows, type Column } from "./table";

const columns: Column<Difference>[] = [
  { key: "field", title: "field", cell: (d) => d.field },
  { key: "a", title: "a", cell: (d) => d.a || "–" },
  { key: "b", title: "b", cell: (d) => d.b || "–" },
];

/** Specs are the fields of two specs that differ. */
export function Specs({ differences }: { differences: Difference[] }) {
  if (differences.length === 0) return <p class="note">The specs are the same.</p>;
  return <Rows label="differences of the specs" columns={columns} rows={differences} />;
}
