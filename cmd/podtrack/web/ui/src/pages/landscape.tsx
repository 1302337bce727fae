import { useEffect, useMemo, useState } from "preact/hooks";
import { useSteady, type Answer } from "../api";
import { command } from "../command";
import { Legend } from "../parts/legend";
import { place, shades } from "../parts/map";
import { MapView } from "../parts/mapview";
import { Panel } from "../parts/panel";
import type { Table } from "../parts/ring";
import { readFloats, readTable, tablePath } from "../parts/small";
import { Shown } from "../parts/states";
import { ValueChart } from "../parts/valuechart";
import { short, whole } from "../format";
import { set } from "../router";
import type { OptionDetail } from "../types";
import type { State, Why } from "../types-compare";
import { follow } from "./follow";
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
  const q = useSteady<Float64Array>(option.plan ? `/api/runs/${path}/q` : null, readFloats);
  const { plan } = option;
  const followed = useMemo(() => (plan && table.data && state !== null ? follow(plan, table.data, q.data, option.actions, state) : undefined), [option, table.data, q.data, state]);
  const told = why.data?.state?.state === state ? why.data?.state : option.method === "pod" ? undefined : followed;
  const choose = (s: number) => set({ state: String(s) });
  const csv = table.data && { head: ["state", "value", "action"], rows: Array.from(table.data.value, (v, s) => [s, v, option.actions[table.data!.policy[s]!] ?? ""]) };
  const line = command("why", option.option, ...(state === null ? [] : ["--state", String(state)]));
  const stepper = <Stepper states={option.states} state={state} onState={slide} />;
  const steps = (t: Table) => state !== null && <Steps state={state} table={t} actions={option.actions} told={told} error={why.error} name={plan ? (s) => place(plan, s) : undefined} onState={(s) => set({ state: String(s) }, false)} />;
  return (
    <Panel id="landscape" title="Value and policy over the states" command={line} files={csv && { name: "value-and-policy", csv }} figure={{ name: "option", of: [option.option] }}>
      {plan ? (
        <p class="note">Blue is the value, an arrow the action, a dot a cell where the option ends. A click or Enter chooses the cell to start from.</p>
      ) : (
        <Legend actions={option.actions} note="drag to zoom, double-click for all; a click chooses a state. From afar the line is the mean of the states of a pixel, below their largest value" />
      )}
      <Shown answer={table} what="values and policy">
        {(t) => (
          <>
            {plan ? (
              <div class="halves">
                <OnMap option={option} table={t} q={q.data} state={state} path={(told ?? followed)?.path} end={(told ?? followed)?.end} onState={choose} />
                <div>
                  {stepper}
                  {steps(t)}
                </div>
              </div>
            ) : (
              <>
                <ValueChart table={t} state={state} path={told && [...told.path.map((m) => m.state), told.end]} actions={option.actions.length} onState={choose} />
                {stepper}
                {steps(t)}
              </>
            )}
          </>
        )}
      </Shown>
    </Panel>
  );
}

/** OnMap is an option of a grid on its map. */
function OnMap(props: { option: OptionDetail; table: Table; q?: Float64Array; state: number | null; path?: State["path"]; end?: number; onState: (s: number) => void }) {
  const { option, table, q, state, path, end } = props;
  const plan = option.plan!;
  const most = table.value.reduce((a, b) => Math.max(a, b), 0);
  const tell = (s: number) => {
    const action = option.actions[table.policy[s]!];
    const n = option.actions.length;
    const worth = q && option.actions.map((a, i) => `${a} ${short(q[s * n + i])}`).join(", ");
    return `${place(plan, s)}, state ${s}: v ${short(table.value[s])}, ${action ? `goes ${action}` : "ends"}${worth ? `; q: ${worth}` : ""}`;
  };
  const drawing = { shade: shades(table.value), policy: table.policy, marked: state, path: path && [...path.map((m) => m.state), ...(end === undefined || end < 0 ? [] : [end])] };
  return <MapView plan={plan} drawing={drawing} label={`value and policy of ${option.option} on the map`} tell={tell} ramp={["v 0", short(most), false]} onState={props.onState} />;
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
