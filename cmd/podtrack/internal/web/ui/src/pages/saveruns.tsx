import { useState } from "preact/hooks";
import { json, type Failure } from "../api";
import { saveCSV, saveJSON } from "../download";
import { recorded } from "../measure";
import { Failed } from "../parts/states";
import { sheet, type Column } from "../parts/table";
import type { Run, Runs } from "../types";
import { runsQuery } from "./pages";

/** SaveRuns downloads all runs of the filter, also those that were never in sight. */
export function SaveRuns({ q, sort, columns }: { q: string[]; sort: string | null; columns: Column<Run>[] }) {
  const [error, fail] = useState<Failure>();
  const save = (as: "CSV" | "JSON") => async () => {
    try {
      const runs = await everyRun(runsQuery(q, sort, columns.map((c) => c.key).filter((key) => recorded.includes(key))));
      const table = sheet(columns, runs);
      if (as === "CSV") saveCSV("runs", table.head, table.rows);
      else saveJSON("runs", runs);
      fail(undefined);
    } catch (e) {
      fail(e as Failure);
    }
  };
  return (
    <span class="downloads">
      {(["CSV", "JSON"] as const).map((as) => (
        <button key={as} type="button" class="quiet" onClick={save(as)} aria-label={`download the runs as ${as}`}>
          {as}
        </button>
      ))}
      {error && <Failed error={error} />}
    </span>
  );
}

async function everyRun(of: string): Promise<Run[]> {
  const runs: Run[] = [];
  for (;;) {
    const answer = await json<Runs>(`/api/runs?${of}&offset=${runs.length}&limit=1000`);
    runs.push(...answer.runs);
    if (answer.runs.length === 0 || runs.length >= answer.total) return runs;
  }
}
