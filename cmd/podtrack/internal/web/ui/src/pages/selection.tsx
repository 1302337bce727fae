import { command } from "../command";
import { Panel } from "../parts/panel";
import { Rows, sheet, type Column } from "../parts/table";
import { none, num, plural } from "../format";
import type { Detail, Rejected } from "../types";
import { Ref } from "./causes";
import { label } from "./fields";

const columns: Column<Rejected>[] = [
  { key: "direction", title: "direction", width: 16, value: (r) => r.direction, cell: (r) => `${r.k}/${r.j}` },
  { key: "sigma", title: "σ", right: true, width: 12, sort: (r) => r.sigma, cell: (r) => num(r.sigma, 3) },
  { key: "lambda", title: "λ", right: true, width: 12, help: "eigenvalue of the normalised Laplacian", sort: (r) => r.lambda ?? null, cell: (r) => num(r.lambda, 6) },
  { key: "why", title: "reason", width: 60, value: (r) => r.why, cell: (r) => r.why },
  { key: "nearest", title: "nearest option", width: 20, value: (r) => r.nearest, cell: (r) => <Ref name={r.nearest} run={r.nearest.split(":")[0]} or={none} /> },
];

/** Selection are the directions that did not become options, and why. */
export function Selection({ detail, query }: { detail: Detail; query: URLSearchParams }) {
  const all = detail.history.flatMap((it) => it.rejected ?? []);
  if (all.length === 0) return null; // the spectrum and κ say it all
  const of = query.get("of");
  if (of !== null && !detail.history.some((it) => it.k === Number(of))) return null; // as the options say
  const rows = of === null ? all : all.filter((r) => r.k === Number(of));
  const some = columns.filter((c) => (c.key !== "lambda" || all.some((r) => r.lambda !== undefined)) && (c.key !== "nearest" || all.some((r) => r.nearest)));
  return (
    <Panel id="selection" title="Rejected directions" aside={`${plural(rows.length, "direction")}${of === null ? "" : ` of iteration ${of}`}, by the rule ${detail.spec.select}`} command={command("options", "--rejected", label(detail))} files={{ name: `${label(detail)}-rejected`, json: rows, csv: sheet(some, rows) }}>
      {rows.length === 0 ? <p class="empty">Every direction of iteration {of} became options.</p> : <Rows label="rejected directions" columns={some} rows={rows} />}
    </Panel>
  );
}
