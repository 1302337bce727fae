// What is shown, as a file: JSON as the server gave it, or a table as CSV.

export type Cell = string | number | boolean | null | undefined;

function csv(head: string[], rows: Cell[][]): string {
  const cell = (c: Cell) => {
    const text = c === null || c === undefined ? "" : String(c);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [head, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

const save = (name: string, type: string, text: string) => saveBlob(name, new Blob([text], { type }));

export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser reads it in its own time
}

export const saveJSON = (name: string, data: unknown) => save(`${name}.json`, "application/json", JSON.stringify(data, null, 2) + "\n");
export const saveCSV = (name: string, head: string[], rows: Cell[][]) => save(`${name}.csv`, "text/csv", csv(head, rows));
