import { useSteady } from "../api";
import { command } from "../command";
import { Command } from "../parts/copy";
import { Panel } from "../parts/panel";
import { Plotted } from "../parts/plotted";
import { Empty, Shown } from "../parts/states";
import { num, plural } from "../format";
import { titleOf } from "../measure";
import { set } from "../router";
import type { Table1, TableCell } from "../types-compare";

/** Table1View sets both readings beside the paper's Table 1. */
export function Table1View({ query }: { query: URLSearchParams }) {
  const answer = useSteady<Table1>("/api/table1");
  return (
    <>
      <h1>Table 1 and Figure 1 of the paper, in both readings</h1>
      {answer.error?.status === 404 ? (
        <Empty>
          <p>The store has no runs of Table 1 yet. This makes those of one seed, in a second:</p>
          <Command line="podtrack reproduce table1 --runs 1" />
          <p>And this makes all, over 30 seeds:</p>
          <Command line="podtrack reproduce table1" />
        </Empty>
      ) : (
        <Shown answer={answer} what="the runs of Table 1">
          {(table) => <Page table={table} query={query} />}
        </Shown>
      )}
    </>
  );
}

const published = "as-published"; // with which Table 1 is consistent
const readings = ["as-written", published];

function Page({ table, query }: { table: Table1; query: URLSearchParams }) {
  const kinds = [...new Set(table.settings.map((s) => s.observability))];
  const metrics = table.settings[0]?.metrics.map((m) => m.metric) ?? [];
  const rows = table.settings.flatMap((s) => s.metrics.flatMap((m) => m.columns.map((c) => [s.reading, s.observability, m.metric, c.column, c.n, c.mean, c.sd, c.paper_mean, c.paper_sd, c.z])));
  const figure = { name: "table1", of: [], flags: { runs: String(table.runs) } };
  const csv = { head: ["reading", "observability", "metric", "column", "n", "mean", "sd", "paper_mean", "paper_sd", "z"], rows };
  return (
    <>
      <Panel id="verdicts" title="What the numbers say" command={table.runs === 30 ? "podtrack reproduce table1" : `podtrack reproduce table1 --runs ${table.runs}`} files={{ name: "table1", json: table, csv }} figure={figure}>
        {table.verdicts.map((v) => (
          <p key={v.reading}>
            Table 1's means are <b>{v.consistent === null ? "not to be judged from so few runs for" : v.consistent ? "consistent with" : "not consistent with"}</b> the reading <b>{v.reading}</b>{v.consistent && ", from which no difference is settled"}: |z| &lt; 3 in{" "}
            {v.under_3} of {v.comparisons} comparisons over iterations 1 to 5, the largest {num(v.largest, 1)} ({v.where}); chance alone exceeds {num(v.chance, 1)} in five of 100 such tables.
          </p>
        ))}
        {table.spread && <p>{table.spread}</p>}
        <p class="note">
          “Consistent with” is not more than that. {plural(table.runs, "run")} in each setting. {table.formula}.
        </p>
        <Plotted figure={figure} on={table.runs} most={10} />
      </Panel>
      <Figure1 seeds={table.runs} query={query} />
      {kinds.map((kind) => (
        <Panel key={kind} id={kind} title={`${kind} observability`}>
          <Numbers table={table} kind={kind} metrics={metrics} />
        </Panel>
      ))}
    </>
  );
}

const cells = (table: Table1, reading: string, kind: string, metric: string): TableCell[] =>
  table.settings.find((s) => s.reading === reading && s.observability === kind)?.metrics.find((m) => m.metric === metric)?.columns ?? [];

/** before says that Table 1 has the purposes of iteration k in column k + 1. */
const before = (metric: string) => (metric === "purposes" ? " of the iteration before" : "");

function Numbers({ table, kind, metrics }: { table: Table1; kind: string; metrics: string[] }) {
  const columns = cells(table, "as-written", kind, metrics[0] ?? "").map((c) => c.column);
  return (
    <>
      <p class="note">Of the readings: mean (sd), z. Of the paper: mean (what it has in parentheses).</p>
      <div class="scroll" tabIndex={0}>
        <table aria-label={`${kind} observability, means with standard deviations over runs`}>
          <thead>
            <tr>
              <th scope="col">metric</th>
              <th scope="col">of</th>
              {columns.map((c) => (
                <th key={c} scope="col" class="right">
                  {c === 0 ? "iteration 0" : c}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {metrics.flatMap((metric) => [
              <tr key={`${metric} paper`} class="first">
                <th scope="row">{titleOf(metric) + before(metric)}</th>
                <td>paper</td>
                {cells(table, "as-written", kind, metric).map((c) => (
                  <td key={c.column} class="right">
                    {c.paper_mean === null ? "–" : `${num(c.paper_mean, 1)} (${num(c.paper_sd, 1)})`}
                  </td>
                ))}
              </tr>,
              ...readings.map((reading) => (
                <tr key={`${metric} ${reading}`}>
                  <th scope="row">
                    <span class="hidden">{titleOf(metric)}</span>
                  </th>
                  <td>{reading}</td>
                  {cells(table, reading, kind, metric).map((c) => (
                    <td key={c.column} class="right">
                      {c.mean === null ? "–" : `${num(c.mean, 1)} (${num(c.sd, 1)})`}
                      <Z z={c.z} />
                    </td>
                  ))}
                </tr>
              )),
            ])}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Z({ z }: { z: number | null }) {
  if (z === null) return null;
  return <span class={Math.abs(z) < 3 ? "z" : "z far"}>{num(z, 1)}</span>;
}

/** Figure1 draws the paper's Figure 1 of one seed, as podtrack reproduce figure1 does. */
function Figure1({ seeds, query }: { seeds: number; query: URLSearchParams }) {
  const reading = query.get("reading") ?? published;
  const seed = query.get("seed") ?? "0";
  const figure = { name: "figure1", of: [], flags: { reading, seed } };
  const words = [...(reading === published ? [] : ["--reading", reading]), ...(seed === "0" ? [] : ["--seed", seed])];
  return (
    <Panel id="figure1" title="Figure 1" aside={<Choice reading={reading} seed={seed} seeds={seeds} />} command={command("reproduce figure1", ...words, "-o", "figure1.svg")} figure={figure}>
      <Plotted figure={figure} on={seeds} most={10} />
      <p class="note">The position over time, in steps to the right of the first state; dashed lines are the beginnings of iterations. The paper does not say of which seed its walks are: expect the same look, not the same lines.</p>
    </Panel>
  );
}

function Choice({ reading, seed, seeds }: { reading: string; seed: string; seeds: number }) {
  return (
    <>
      <label>
        of{" "}
        <select value={reading} onChange={(e) => set({ reading: e.currentTarget.value })}>
          {readings.map((r) => (
            <option key={r}>{r}</option>
          ))}
        </select>
      </label>{" "}
      <label>
        seed{" "}
        <select value={seed} onChange={(e) => set({ seed: e.currentTarget.value })}>
          {Array.from({ length: seeds }, (_, n) => (
            <option key={n}>{n}</option>
          ))}
        </select>
      </label>
    </>
  );
}
