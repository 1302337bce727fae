import { command } from "../command";
import { OfIteration } from "../parts/ask";
import { Panel } from "../parts/panel";
import { Plotted } from "../parts/plotted";
import type { Detail } from "../types";
import { label } from "./fields";

/** VisitsPanel is when the run first visited each state, or which states it first visited in an iteration. */
export function VisitsPanel({ detail, k }: { detail: Detail; k: string | null }) {
  const of = k === null ? label(detail) : `${label(detail)}:${k}`;
  const figure = { name: "visits", of: [of] };
  return (
    <Panel id="visits" title="States visited" aside={<OfIteration detail={detail} name="visits" k={k} all="all iterations" />} command={command("plot visits", of, "-o", "visits.svg")} figure={figure}>
      <Plotted figure={figure} on={detail.head} />
    </Panel>
  );
}
