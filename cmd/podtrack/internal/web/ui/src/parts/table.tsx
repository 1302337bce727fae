import type { Cell } from "../download";
import { numeric, type Column, type TableProps } from "./columns";
import { Table } from "./grid";

export { numeric, type Column };

/** sorted orders rows by a column's key, as podtrack does: stable, what is undefined below all. */
export function sorted<R>(rows: R[], columns: Column<R>[], sort: string | undefined): R[] {
  const down = sort?.startsWith("-");
  const by = columns.find((c) => c.key === (down ? sort!.slice(1) : sort))?.sort;
  if (!by) return rows;
  const sign = down ? -1 : 1;
  return rows.toSorted((x, y) => sign * order(by(x), by(y)));
}

function order(a: number | string | null, b: number | string | null): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return a < b ? -1 : 1;
}

/** sheet is a table as CSV has it. */
export function sheet<R>(columns: Column<R>[], rows: R[]): { head: string[]; rows: Cell[][] } {
  return { head: columns.map((c) => c.key), rows: rows.map((row) => columns.map((c) => (c.value ?? c.sort)?.(row))) };
}

/** Rows is a table of rows that are all there, with what its columns mean below it. */
export function Rows<R>(props: Omit<TableProps<R>, "count" | "at" | "whole"> & { rows: R[] }) {
  const { rows, ...rest } = props;
  const told = props.columns.filter((c) => c.help);
  return (
    <>
      <Table {...rest} count={rows.length} at={(i) => rows[i]} whole={rows.length <= 60} />
      {told[0] && (
        <details class="note">
          <summary>what the columns mean</summary>
          <dl class="pairs">
            {told.map((c) => (
              <div key={c.key}>
                <dt>{c.title}</dt>
                <dd>{c.help}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </>
  );
}
