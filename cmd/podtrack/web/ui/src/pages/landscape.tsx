import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { useSteady, type Answer } from "../api";
import { command } from "../command";
import { Chart, left, room, rule, wholes } from "../parts/chart";
import { Legend } from "../parts/legend";
import { Panel } from "../parts/panel";
import { strip, type Table } from "../parts/ring";
import { readTable } from "../parts/small";
import { Shown } from "../parts/states";
import { short, whole } from "../format";
import { set } from "../router";
import { colour } from "../theme";
import type { OptionDetail } from "../types";
import type { State, Why } from "../types-compare";
import { Steps } from "./steps";

/** Landscape draws value and policy over the states, and what the option does in one of them. */
export function Landscape(props: { option: OptionDetail; path: string; state: string | null; why: Answer<Why> }) {
  const { option, path, why } = props;
  const table = useSteady<Table>(path, readTable);
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
    <Panel id="landscape" title="Value and policy over the states" command={line} files={csv && { name: "value-and-policy", csv }}>
      <Legend actions={option.actions} note="drag to zoom, double-click for all; a click chooses a state" />
      <Shown answer={table} what="values and policy">
        {(t) => (
          <>
            <Drawn table={t} state={state} told={told} actions={option.actions.length} onState={(s) => set({ state: String(s) })} />
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

const band = 12; // pixels of the policy's strip

function Drawn(props: { table: Table; state: number | null; told?: State; actions: number; onState: (s: number) => void }) {
  const { table, state, told } = props;
  const plot = useRef<uPlot | undefined>(undefined);
  const mark = useRef<{ state: number | null; path: number[] }>({ state: null, path: [] });
  mark.current = { state, path: told ? [...told.path.map((m) => m.state), told.end] : [] };
  const choose = useRef(props.onState);
  choose.current = props.onState;
  const data = useMemo((): uPlot.AlignedData => [Array.from(table.value, (_, s) => s), Array.from(table.value)], [table]);
  useEffect(() => plot.current?.redraw(false), [state, told]);
  const ready = useCallback((u: uPlot) => {
    plot.current = u;
    u.over.addEventListener("click", () => {
      const idx = u.cursor.idx;
      if (u.select.width < 2 && typeof idx === "number") choose.current(idx);
    });
  }, []);
  const build = () => landscape(table, props.actions, mark);
  return <Chart label={`value over ${table.value.length} states, largest ${short(Math.max(0, ...sample(table.value)))}`} build={build} of={[table]} data={data} height={280} onReady={ready} />;
}

/** sample takes few enough values to be spread as arguments. */
function sample(values: Float64Array): number[] {
  const stride = Math.ceil(values.length / 4096);
  return Array.from({ length: Math.ceil(values.length / stride) }, (_, i) => values[i * stride]!);
}

function landscape(table: Table, actions: number, mark: { current: { state: number | null; path: number[] } }): Omit<uPlot.Options, "width" | "height"> {
  const accent = colour("accent");
  return {
    legend: { show: true },
    padding: room,
    scales: { x: { time: false }, y: { range: (_, __, high) => [0, high > 0 ? high * 1.08 : 1] } },
    axes: [wholes("state", { gap: band + 6, size: 44 }), left("v")],
    series: [
      { label: "state" },
      { label: "v", stroke: accent, width: 1.5, fill: `color-mix(in srgb, ${accent} 18%, transparent)`, points: { show: false }, value: (_, v) => short(v) },
    ],
    cursor: { drag: { x: true, y: false } },
    hooks: {
      draw: [
        (u) => {
          const { left, top, width, height } = u.bbox;
          const scale = devicePixelRatio;
          const range: [number, number] = [u.scales.x!.min!, u.scales.x!.max! + 1];
          strip(u.ctx, new DOMRect(left, top + height + 3 * scale, width, band * scale), table.policy, range, actions);
          points(u, table, mark.current.path);
          if (mark.current.state !== null) rule(u, [mark.current.state], colour("text"));
        },
      ],
    },
  };
}

/** points marks the states of a path on the curve. */
function points(u: uPlot, table: Table, path: number[]): void {
  u.ctx.fillStyle = colour("vermilion");
  for (const s of path) {
    const x = u.valToPos(s, "x", true);
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
    u.ctx.beginPath();
    u.ctx.arc(x, u.valToPos(table.value[s] ?? 0, "y", true), 2.5 * devicePixelRatio, 0, 2 * Math.PI);
    u.ctx.fill();
  }
}
