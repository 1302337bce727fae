import { useMemo } from "preact/hooks";
import uPlot from "uplot";
import { useAnswer } from "../api";
import { command } from "../command";
import { Chart, left, room, wholes } from "../parts/chart";
import { Panel } from "../parts/panel";
import { Empty, Shown } from "../parts/states";
import { Rows, sheet, type Column } from "../parts/table";
import { about, none, num, short, whole } from "../format";
import { decimals } from "../measure";
import { set } from "../router";
import { colour } from "../theme";
import type { Diffusion, Estimate } from "../types-evaluation";
import { Ref } from "./causes";

/** DiffusionPanel shows the diffusion time by the number of options, computed on request. */
export function DiffusionPanel({ run, k, asked }: { run: string; k: number; asked: boolean }) {
  const answer = useAnswer<{ diffusion: Diffusion[] }>(asked ? `/api/runs/${encodeURIComponent(run)}/iterations/${k}/diffusion` : null);
  const rows = answer.data?.diffusion;
  const columns = columnsFor(run, decimals((rows ?? []).flatMap((d) => [d.decisions, d.steps])));
  return (
    <Panel id="diffusion" title="Diffusion and cover time" command={command("evaluate", `${run}:${k}`, "--diffusion")} files={rows && { name: `${run}-${k}-diffusion`, json: rows, csv: sheet(columns, rows) }}>
      {asked ? (
        <Shown answer={answer} what="the diffusion time, which takes seconds">
          {({ diffusion }) => <Drawn rows={diffusion} columns={columns} />}
        </Shown>
      ) : (
        <Empty>
          The diffusion time by the number of options is not recorded; it takes seconds to compute.{" "}
          <button type="button" onClick={() => set({ diffusion: "1" })} data-diffuse>
            compute it
          </button>
        </Empty>
      )}
    </Panel>
  );
}

/** marks are those of a logarithmic axis: of many decades their beginnings alone. */
const marks = (_: uPlot, __: number, low: number, high: number) =>
  Array.from({ length: 40 }, (_, n) => (high / low > 1e4 ? [1] : [1, 2, 5]).map((x) => x * 10 ** (n - 10)))
    .flat()
    .filter((x) => x >= low && x <= high);

function Drawn({ rows, columns }: { rows: Diffusion[]; columns: Column<Diffusion>[] }) {
  const data = useMemo((): uPlot.AlignedData => [rows.map((d) => d.options), rows.map((d) => d.decisions), rows.map((d) => d.steps)], [rows]);
  const line = (label: string, name: string) => ({ label, stroke: colour(name), width: 2, points: { show: rows.length < 40, size: 6 } });
  const build = () => ({
    padding: room,
    scales: { x: { time: false }, y: { distr: 3 as const } },
    axes: [wholes("options"), left("diffusion time", { splits: marks, values: (_, at) => at.map((x) => (x === null ? "" : about(x))) })],
    series: [{ label: "options" }, line("decisions", "series-0"), line("steps", "series-1")],
    cursor: { drag: { x: false, y: false } },
  });
  return (
    <>
      <Chart label={`diffusion time by the number of options, up to ${rows.at(-1)?.options ?? 0}, on a logarithmic scale`} build={build} of={[rows]} data={data} height={260} />
      <Rows label="diffusion and cover time" columns={columns} rows={rows} />
      <p class="note">
        Diffusion: expected decisions and steps of a uniformly random walk from one state to another, exact, mean over all ordered pairs. Cover: until every state was visited, from the start state; mean of 100 simulated walks with its 95 % interval, none where they would take too long.
      </p>
    </>
  );
}

const time = (x: number | null, digits: number) => (x !== null && x >= 1e6 ? short(x) : num(x, digits));
const cover = (e: Estimate | null) => (e ? `${whole(Math.round(e.value))}${e.interval_low !== null && e.interval_high !== null ? ` [${whole(Math.round(e.interval_low))}, ${whole(Math.round(e.interval_high))}]` : ""}` : "–");

const columnsFor = (run: string, digits: number): Column<Diffusion>[] => [
  { key: "options", title: "options", right: true, width: 12, sort: (d) => d.options, cell: (d) => d.options },
  { key: "last", title: "the last", width: 12, value: (d) => d.last, cell: (d) => <Ref name={d.last} number={d.number} run={run} or={none} /> },
  { key: "decisions", title: "decisions", right: true, width: 16, sort: (d) => d.decisions, cell: (d) => time(d.decisions, digits) },
  { key: "steps", title: "steps", right: true, width: 16, sort: (d) => d.steps, cell: (d) => time(d.steps, digits) },
  { key: "cover_decisions", title: "cover decisions", right: true, width: 28, sort: (d) => d.cover_decisions?.value ?? null, cell: (d) => cover(d.cover_decisions) },
  { key: "cover_steps", title: "cover steps", right: true, width: 28, sort: (d) => d.cover_steps?.value ?? null, cell: (d) => cover(d.cover_steps) },
];
