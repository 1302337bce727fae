/** PrintedTable is a table as podtrack prints it. */
export interface PrintedTable {
  columns: { title: string; right: boolean; rank: number }[];
  rows: string[][];
}

/** Printed shows a table that podtrack has made: what its first column names stands above the rows that follow. */
export function Printed({ label, table: { columns, rows } }: { label: string; table: PrintedTable }) {
  const shown = columns.slice(1);
  const classOf = (i: number) => (shown[i]!.right ? "right " : "") + (shown[i]!.rank ? "wide" : "");
  return (
    <div class="scroll printed" tabIndex={0}>
      <table aria-label={label}>
        <thead>
          <tr>
            {shown.map((c, i) => (
              <th scope="col" class={classOf(i)}>
                {c.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...cells]) => (
            <>
              {name && (
                <tr class="group">
                  <td colSpan={shown.length}>
                    <b>{name}</b>
                  </td>
                </tr>
              )}
              <tr>
                {cells.map((cell, i) => (
                  <td class={classOf(i)}>{judged(cell)}</td>
                ))}
              </tr>
            </>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** judged has the words of settled verdicts in their colours. */
export const judged = (text: string) => text.split(/\b(better|worse)(?=$|:)/).map((part, i) => (i % 2 ? <b class={`judged ${part}`}>{part}</b> : part));
