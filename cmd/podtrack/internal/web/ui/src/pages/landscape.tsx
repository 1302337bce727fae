import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useSteady, type Answer } from "../api";
import { command } from "../command";
import { named, placeOf, rangeText, readRange, stateAt, type Range } from "../parts/axis";
import { Legend } from "../parts/legend";
import { place, shades, spoken } from "../parts/map";
import { MapView } from "../parts/mapview";
import { fold } from "../parts/plane";
import { Panel } from "../parts/panel";
import type { Table } from "../parts/ring";
import { readFloats, readTable, tablePath } from "../parts/small";
import { Failed, Shown } from "../parts/states";
import { ValueChart } from "../parts/valuechart";
import { num, short, whole } from "../format";
import { set } from "../router";
import type { OptionDetail } from "../types";
import type { State } from "../types-compare";
import { Steps } from "./steps";

/** Acts is where an option acts, in words, and what it does in the state that is asked for. */
export interface Acts {
  text: string;
  state?: State;
}

/** Landscape draws purpose, value and policy over the states, and what the option does in one of them. */
export function Landscape(props: { option: OptionDetail; path: string; state: string | null; states: string | null; acts: Answer<Acts> }) {
  const { option, path, acts } = props;
  const { plan, axis } = option;
  const table = useSteady<Table>(tablePath(path), readTable);
  const w = useSteady<Float64Array>(plan ? null : `/api/runs/${path}/potential`, readFloats);
  const number = Number(props.state);
  const asked = props.state && Number.isInteger(number) && number >= 0 && number < option.states ? number : null;
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
  const q = useSteady<Float64Array>(plan ? `/api/runs/${path}/q` : null, readFloats);
  const told = acts.data?.state?.state === state ? acts.data?.state : undefined;
  const choose = (s: number) => set({ state: String(s) });
  const all = { from: axis.first, to: axis.first + option.states - 1 };
  const window = readRange(props.states, all, option.window);
  const zoomed = !plan && (window.from > all.from || window.to < all.to);
  const csv = table.data && { head: ["state", "value", "action"], rows: Array.from(table.data.value, (v, s) => [s, v, option.actions[table.data!.policy[s]!] ?? ""]).filter(([s]) => !zoomed || within(window, placeOf(axis, option.states, s as number))) };
  const line = command("why", option.option, ...(state === null ? [] : ["--state", String(state)]));
  const name = plan ? (s: number) => place(plan, s) : named(axis, option.states);
  const stepper = <Stepper option={option} state={state} onState={slide} />;
  const steps = (t: Table) => state !== null && <Steps state={state} table={t} actions={option.actions} told={told} name={name} onState={(s) => set({ state: String(s) }, false)} />;
  return (
    <Panel id="landscape" title="Value and policy over the states" command={line} files={csv && { name: "value-and-policy", csv }} figure={{ name: "option", of: [option.option], flags: zoomed ? { states: rangeText(window) } : undefined }}>
      {plan ? (
        <p class="note">Blue is the value, an arrow the action, a dot a state where the option ends. A click or Enter chooses the state to start from.</p>
      ) : (
        <Legend actions={option.actions} note="blue is above 0, vermilion below; of several states in a pixel the range and the mean. Below v the policy, and where it ends. Drag to zoom, a click chooses a state" />
      )}
      {acts.error && <Failed error={acts.error} />}
      <Shown answer={table} what="values and policy">
        {(t) =>
          plan ? (
            <div class="halves">
              <OnMap option={option} table={t} q={q.data} state={state} told={told} onState={choose} />
              <div>
                {stepper}
                {steps(t)}
              </div>
            </div>
          ) : (
            <>
              <OnAxis option={option} table={t} w={w.data} window={window} all={all} state={state} path={told && statesOf(told)} onState={choose} />
              {stepper}
              {steps(t)}
            </>
          )
        }
      </Shown>
    </Panel>
  );
}

/** statesOf are those of a path, the last of which is where it ends, if it does. */
const statesOf = ({ path, end }: State) => [...path.map((m) => m.state), ...(end < 0 ? [] : [end])];

const within = ({ from, to }: Range, x: number) => x >= from && x <= to;

/** OnAxis has purpose, value, policy and termination on one axis, and folded. */
function OnAxis(props: { option: OptionDetail; table: Table; w?: Float64Array; window: Range; all: Range; state: number | null; path?: number[]; onState: (s: number) => void }) {
  const { option, table, w, window, all } = props;
  const { axis, actions, states } = option;
  const readout = useRef<HTMLSpanElement>(null);
  const folded = useMemo(() => fold(axis, states), [axis, states]);
  const tell = (s: number) => `state ${named(axis, states)(s)}: ${w ? `w ${short(w[s])}, ` : ""}v ${short(table.value[s])}, ${actions[table.policy[s]!] ? `goes ${actions[table.policy[s]!]}` : "ends"}`;
  const point = (s: number | null) => readout.current && s !== null && (readout.current.textContent = tell(s));
  const look = (r: Range) => set({ states: r.from <= all.from && r.to >= all.to ? "all" : rangeText(r) });
  const wide = (window.to - window.from + 1) / 2;
  const zoom = (by: number) => look({ from: Math.max(all.from, Math.round(window.from - by * wide)), to: Math.min(all.to, Math.round(window.to + by * wide)) });
  const common = { axis, actions: actions.length, group: option.option, window, onWindow: look, onState: props.onState, onPoint: point, state: props.state };
  const purpose = useMemo(() => w && { label: "w", values: w }, [w]);
  const value = useMemo(() => ({ label: "v", values: table.value, policy: table.policy }), [table]);
  const maps = folded && [purpose && { label: "w", values: w! }, { label: "v", values: table.value }];
  const isAll = window.from <= all.from && window.to >= all.to;
  return (
    <>
      {purpose && <ValueChart {...common} profile={purpose} height={150} />}
      <ValueChart {...common} profile={value} path={props.path} height={250} />
      <div class="toolbar">
        <span data-states={rangeText(window)}>
          {num(window.from)} to {num(window.to)} of {whole(states)} states
        </span>
        <button type="button" class="quiet" disabled={window.to - window.from < 8} onClick={() => zoom(-0.5)}>
          zoom in
        </button>
        <button type="button" class="quiet" disabled={isAll} onClick={() => zoom(1)}>
          zoom out
        </button>
        <button type="button" class="quiet" disabled={isAll} onClick={() => look(all)} data-all>
          all
        </button>
        <span class="note" ref={readout} data-readout>
          point at a state to read it
        </span>
      </div>
      {maps && (
        <details open data-folded>
          <summary>folded: a row for each number of the high bits, {folded.columns} columns of the low bits</summary>
          <div class="halves">
            {maps.map((m) => {
              if (!m) return null;
              const most = short(m.values.reduce((a, b) => Math.max(a, Math.abs(b)), 0));
              const signed = m.label === "w";
              return <MapView key={m.label} plan={folded} drawing={{ shade: shades(m.values), marked: props.state }} label={`${m.label}, folded`} tell={tell} ramp={[signed ? `w −${most}` : "v 0", most, signed]} onState={props.onState} tallest={400} />;
            })}
          </div>
        </details>
      )}
    </>
  );
}

/** OnMap is an option of a grid on its map. */
function OnMap(props: { option: OptionDetail; table: Table; q?: Float64Array; state: number | null; told?: State; onState: (s: number) => void }) {
  const { option, table, q, state, told } = props;
  const plan = option.plan!;
  const most = table.value.reduce((a, b) => Math.max(a, b), 0);
  const tell = (s: number) => {
    const action = option.actions[table.policy[s]!];
    const n = option.actions.length;
    const worth = q && option.actions.map((a, i) => `${a} ${short(q[s * n + i])}`).join(", ");
    return `${spoken(plan, s)}: v ${short(table.value[s])}, ${action ? `goes ${action}` : "ends"}${worth ? `; q: ${worth}` : ""}`;
  };
  const drawing = { shade: shades(table.value), policy: table.policy, marked: state, path: told && statesOf(told) };
  return <MapView plan={plan} drawing={drawing} label={`value and policy of ${option.option} on the map`} tell={tell} ramp={["v 0", short(most), false]} onState={props.onState} />;
}

function Stepper({ option, state, onState }: { option: OptionDetail; state: number | null; onState: (s: number) => void }) {
  const { axis, states } = option;
  const type = (event: { currentTarget: HTMLInputElement }) => {
    if (event.currentTarget.reportValidity()) onState(stateAt(states, event.currentTarget.valueAsNumber));
  };
  const range = { min: axis.first, max: axis.first + states - 1, required: true };
  const at = state === null ? undefined : placeOf(axis, states, state);
  return (
    <div class="stepper">
      <label>
        state <input type="number" {...range} value={at ?? ""} placeholder="0" onChange={type} data-state />
      </label>
      <input type="range" class="grow" {...range} value={at ?? 0} aria-label="state" onInput={type} />
      <span class="note">{whole(states)} states</span>
    </div>
  );
}
