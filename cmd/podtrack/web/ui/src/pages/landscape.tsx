import { useEffect, useState } from "preact/hooks";
import { useSteady, type Answer } from "../api";
import { command } from "../command";
import { Legend } from "../parts/legend";
import { Panel } from "../parts/panel";
import type { Table } from "../parts/ring";
import { readTable, tablePath } from "../parts/small";
import { Shown } from "../parts/states";
import { ValueChart } from "../parts/valuechart";
import { whole } from "../format";
import { set } from "../router";
import type { OptionDetail } from "../types";
import type { Why } from "../types-compare";
import { Steps } from "./steps";

/** Landscape draws value and policy over the states, and what the option does in one of them. */
export function Landscape(props: { option: OptionDetail; path: string; state: string | null; why: Answer<Why> }) {
  const { option, path, why } = props;
  const table = useSteady<Table>(tablePath(path), readTable);
  const asked = props.state === null ? null : Math.max(0, Math.min(option.states - 1, Math.round(Number(props.state)) || 0));
  const [slid, slide] = useState<number | null>(null); // while the reader slides, before the address follows
  const state = slid ?? asked;
  useEffect(() => {
    if (slid === null) return;
    const wait = setTimeout(() => {
      set({ state: String(slid) });
      slide(null);
    }, 150);
    return () => clearTimeout(wait);
  }, [slid]);
  const told = why.data?.state?.state === state ? why.data?.state : undefined;
  const csv = table.data && { head: ["state", "value", "action"], rows: Array.from(table.data.value, (v, s) => [s, v, option.actions[table.data!.policy[s]!] ?? ""]) };
  const line = command("why", option.option, ...(state === null ? [] : ["--state", String(state)]));
  return (
    <Panel id="landscape" title="Value and policy over the states" command={line} files={csv && { name: "value-and-policy", csv }} figure={{ name: "option", of: [option.option] }}>
      <Legend actions={option.actions} note="drag to zoom, double-click for all; a click chooses a state. From afar the line is the mean of the states of a pixel, below their largest value" />
      <Shown answer={table} what="values and policy">
        {(t) => (
          <>
            <ValueChart table={t} state={state} path={told && [...told.path.map((m) => m.state), told.end]} actions={option.actions.length} onState={(s) => set({ state: String(s) })} />
            <Stepper states={option.states} state={state} onState={slide} />
            {state !== null && <Steps state={state} table={t} actions={option.actions} told={told} error={why.error} onState={(s) => set({ state: String(s) }, false)} />}
          </>
        )}
      </Shown>
    </Panel>
  );
}

function Stepper({ states, state, onState }: { states: number; state: number | null; onState: (s: number) => void }) {
  const type = (event: { currentTarget: HTMLInputElement }) => {
    const s = event.currentTarget.valueAsNumber;
    if (Number.isInteger(s) && s >= 0 && s < states) onState(s);
  };
  return (
    <div class="stepper">
      <label>
        state <input type="number" min={0} max={states - 1} value={state ?? ""} placeholder="0" onInput={type} data-state />
      </label>
      <input type="range" class="grow" min={0} max={states - 1} value={state ?? 0} aria-label="state" onInput={type} />
      <span class="note">{whole(states)} states</span>
    </div>
  );
}
