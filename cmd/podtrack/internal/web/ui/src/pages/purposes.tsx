import { command } from "../command";
import { Panel } from "../parts/panel";
import { Plotted } from "../parts/plotted";
import { Empty } from "../parts/states";
import type { Detail } from "../types";
import { label } from "./fields";

/** Purposes are the eigenpurposes of rows that nobody can act on. */
export function Purposes({ detail }: { detail: Detail }) {
  const found = detail.history.flatMap((it) => (it.eigenpurposes ?? []).map((p) => ({ ...p, k: it.k })));
  const figure = { name: "purposes", of: [label(detail)] };
  return (
    <Panel id="purposes" title="Eigenpurposes" command={command("show", label(detail))} files={{ name: `${label(detail)}-eigenpurposes`, json: found }} figure={figure}>
      {found.length === 0 ? (
        <Empty>No singular value exceeds κ, so there is no eigenpurpose. A run with a lower --kappa has some.</Empty>
      ) : (
        <Plotted figure={figure} on={detail.head} />
      )}
    </Panel>
  );
}
