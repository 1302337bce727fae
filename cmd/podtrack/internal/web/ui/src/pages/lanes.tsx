import { useReducer, useRef } from "preact/hooks";
import { json, type Failure } from "../api";
import { Strip } from "../parts/strip";
import { Failed } from "../parts/states";
import { Table } from "../parts/grid";
import type { Column } from "../parts/columns";
import { num, percent, plural } from "../format";
import type { Lane, LaneCell, Lanes } from "../types-compare";

const page = 100; // lanes read at once
const tall = 32; // pixels of a lane, as of a row

/** Focus is an option with those that led to it and those that it led to, by their influence. */
export interface Focus {
  key: string; // K/J±
  k: number;
  influence: Map<string, number>; // by K/J, negative of descendants
  most: number; // the largest of them in size
}

interface Place {
  wide: number; // pixels of an iteration
  iterations: number;
}

/** LaneTable shows the lanes of a run that match find, an iteration a column; only those in sight are read and drawn. */
export function LaneTable({ path, find, focus, onChoose }: { path: string; find: string; focus?: Focus; onChoose: (key: string) => void }) {
  const of = `${path}?${new URLSearchParams(find ? { find } : {})}`;
  const [, again] = useReducer((n: number) => n + 1, 0);
  const known = useRef<{ of: string; asked: Set<number>; lanes: Lane[]; total: number; iterations: number; error?: Failure }>({ of: "", asked: new Set(), lanes: [], total: 1, iterations: 1 });
  if (known.current.of !== of) known.current = { of, asked: new Set(), lanes: [], total: 1, iterations: known.current.iterations };
  const now = known.current;
  const need = (from: number, to: number) => {
    for (let n = Math.floor(from / page); n * page < Math.max(1, Math.min(to, now.total)); n++) {
      if (now.asked.has(n)) continue;
      now.asked.add(n);
      json<Lanes>(`${of}&offset=${n * page}&limit=${page}`)
        .then((answer) => {
          now.total = answer.total;
          now.iterations = answer.iterations;
          answer.lanes.forEach((lane, i) => (now.lanes[n * page + i] = lane));
        })
        .catch((error) => (now.error = error))
        .finally(() => again(undefined));
    }
  };
  if (now.error) return <Failed error={now.error} />;
  const place = { wide: Math.max(16, Math.min(64, Math.floor(640 / now.iterations))), iterations: now.iterations };
  return (
    <>
      <p class="note" role="status">
        {now.lanes.length === 0 && now.total > 0 ? "Reading the purposes…" : `${plural(now.total, "purpose")}: each lane follows one from the iteration that first found it; both signs share a box.`}
      </p>
      <Table
        label="purposes by the iterations in which they go on"
        columns={columns(place, focus, onChoose)}
        count={now.total}
        at={(i) => now.lanes[i]}
        onSeen={need}
        onOpen={(lane) => onChoose(keyOf(lane, 0))}
      />
    </>
  );
}

const keyOf = (lane: Lane, i: number) => `${lane.born + i}/${lane.cells[i]!.j}${lane.cells[i]!.signs[0]}`;

function columns(place: Place, focus: Focus | undefined, onChoose: (key: string) => void): Column<Lane>[] {
  return [
    { key: "strip", title: "weights", width: 11, cell: (lane) => <Strip weights={lane.strip} label={lane.name} /> },
    { key: "purpose", title: "purpose", width: 20, cell: (lane) => <span title={lane.name}>{lane.name}</span> },
    { key: "lane", title: "iterations", head: <Numbers {...place} />, width: Math.ceil((place.wide * place.iterations + 40) / 7), cell: (lane) => <Row lane={lane} place={place} focus={focus} onChoose={onChoose} /> },
  ];
}

/** Numbers names the iterations above the lanes, as many as have room. */
function Numbers({ wide, iterations }: Place) {
  const every = Math.ceil(28 / wide);
  return (
    <svg class="graph" width={wide * iterations + 4} height={18} role="img" aria-label={`iterations 0 to ${iterations - 1}`}>
      {Array.from({ length: Math.ceil(iterations / every) }, (_, i) => (
        <text key={i} x={i * every * wide + 4} y={14}>
          {i ? i * every : wide > 40 ? "k = 0" : 0}
        </text>
      ))}
    </svg>
  );
}

/** Row draws a lane: a box for each iteration, and strokes from ancestors to the chosen option, and from it to descendants. */
function Row({ lane, place, focus, onChoose }: { lane: Lane; place: Place; focus?: Focus; onChoose: (key: string) => void }) {
  const x = (k: number) => k * place.wide + 2;
  const box = place.wide - 8;
  const bus = focus && x(focus.k) + box / 2;
  return (
    <svg class="graph" width={place.wide * place.iterations + 4} height={tall}>
      {bus && <line class="bus" x1={bus} x2={bus} y1={0} y2={tall} />}
      <line class="same" x1={x(lane.born) + box} x2={x(lane.born + lane.cells.length - 1)} y1={tall / 2} y2={tall / 2} />
      {lane.cells.map((cell, i) => {
        const part = focus?.influence.get(`${lane.born + i}/${cell.j}`);
        return part && <line key={i} class={part < 0 ? "effect" : "cause"} x1={x(lane.born + i) + box / 2} x2={bus} y1={tall / 2} y2={tall / 2} style={{ strokeWidth: `${Math.max(1, (10 * Math.abs(part)) / focus!.most)}px` }} />;
      })}
      {lane.cells.map((cell, i) => (
        <Box key={i} cell={cell} k={lane.born + i} x={x(lane.born + i)} wide={box} focus={focus} onChoose={() => onChoose(keyOf(lane, i))} />
      ))}
    </svg>
  );
}

function Box({ cell, k, x, wide, focus, onChoose }: { cell: LaneCell; k: number; x: number; wide: number; focus?: Focus; onChoose: () => void }) {
  const part = focus?.influence.get(`${k}/${cell.j}`);
  const chosen = focus?.key.slice(0, -1) === `${k}/${cell.j}`;
  const numbers = cell.number === undefined ? "" : [...cell.signs].map((_, i) => ` #${cell.number! + i}`).join();
  const label = `${k}/${cell.j}${cell.signs.length > 1 ? "±" : cell.signs.replace("-", "−")}${numbers}, σ ${num(cell.sigma, 3)}${part ? `, ${part < 0 ? "influenced" : "influence"} ${percent(Math.abs(part))}` : ""}`;
  return (
    <g class={`node${chosen ? " chosen" : ""}`} onClick={(e) => (e.stopPropagation(), onChoose())}>
      <title>{label}</title>
      <rect x={x} y={7} width={wide} height={tall - 14} rx={4} class={part ? (part < 0 ? "effect" : "cause") : ""} style={part ? { "--part": `${10 + (80 * Math.abs(part)) / focus!.most}%` } : undefined} />
      {wide > 16 && (
        <text x={x + 4} y={tall - 12}>
          {cell.j}
          {cell.signs.length > 1 ? "±" : cell.signs.replace("-", "−")}
        </text>
      )}
    </g>
  );
}
