import { command } from "../command";
import { Bars } from "../parts/bars";
import { Panel } from "../parts/panel";
import { Empty } from "../parts/states";
import { num } from "../format";
import type { Detail } from "../types";
import { label } from "./fields";

/** Purposes are the eigenpurposes of rows that nobody can act on. */
export function Purposes({ detail }: { detail: Detail }) {
  const found = detail.history.flatMap((it) => (it.eigenpurposes ?? []).map((p) => ({ ...p, k: it.k })));
  const files = { name: `${label(detail)}-eigenpurposes`, json: found };
  return (
    <Panel id="purposes" title="Eigenpurposes" command={command("show", label(detail))} files={files} figure={{ name: "purposes", of: [label(detail)] }}>
      {found.length === 0 && <Empty>No singular value exceeds κ, so there is no eigenpurpose. A run with a lower --kappa has some.</Empty>}
      <div class="multiples">
        {found.map((p) => (
          <Bars key={`${p.k}/${p.j}`} features={p.vector.map((_, i) => `feature ${i}`)} vectors={[p.vector]} labels={[`${p.k}/${p.j}+ · σ ${num(p.sigma, 3)}`]} />
        ))}
      </div>
    </Panel>
  );
}
