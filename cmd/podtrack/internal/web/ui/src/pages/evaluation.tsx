import { useSteady } from "../api";
import { Panel } from "../parts/panel";
import { Plotted } from "../parts/plotted";
import { Shown } from "../parts/states";
import { numeric, Rows, sheet, type Column } from "../parts/table";
import { num, percent, plural, whole } from "../format";
import type { World } from "../types";
import type { Arm, Curves, Estimate, EvaluationDetail, OneTask } from "../types-evaluation";
import { DiffusionPanel } from "./diffusion";
import { armName, commandOf, Head, spread } from "./evaluations";
import { Goals } from "./goals";

/** EvaluationView shows what an iteration's options are worth for a task. */
export function EvaluationView({ run, evaluation, query }: { run: string; evaluation: string; query: URLSearchParams }) {
  const of = `/api/runs/${encodeURIComponent(run)}`;
  const answer = useSteady<EvaluationDetail>(`${of}/evaluations/${encodeURIComponent(evaluation)}`);
  const world = useSteady<World>(`${of}/world`, undefined, undefined, "");
  return (
    <Shown answer={answer} what="the evaluation">
      {(detail) =>
        detail.summary ? <Goals summary={detail.summary} run={run} world={world.data} /> : <Page detail={detail} e={detail.evaluation!} curves={detail.curves!} run={run} world={world.data} query={query} />
      }
    </Shown>
  );
}

function Page({ detail, e, curves, run, world, query }: { detail: EvaluationDetail; e: OneTask; curves: Curves; run: string; world?: World; query: URLSearchParams }) {
  const { k } = detail;
  const { task } = e;
  const line = commandOf(`${run}:${k}`, task);
  const file = `${run}-${k}-evaluation`;
  const figure = { name: "evaluation", of: [`${run}:${k}`], flags: { evaluation: e.evaluation } };
  const armColumns = task.reward ? rewardColumns : goalColumns;
  const best = e.rewards?.best_return;
  return (
    <>
      <Head run={run} k={k} options={e.options.length} task={task} world={world} parts={["curves", "arms", "diffusion"]} />
      <Panel id="curves" title="Learning curves" command={line} files={{ name: `${file}-curves`, csv: curveSheet(curves) }} figure={figure}>
        <Plotted figure={figure} on={e.evaluation} />
      </Panel>
      <Panel id="arms" title="With and without options" aside={`early and late are the first and the last ${plural(e.window, "episode")}`} command={line} files={{ name: file, json: detail, csv: sheet(armColumns, e.arms) }}>
        <Rows label="arms" columns={armColumns} rows={e.arms} />
        <p class="note">
          Means over seeds{task.seeds.length > 1 ? " with their 95 % intervals (Student's t)" : "; one seed has no interval"}.{" "}
          {task.reward
            ? `A return is the sum of an episode's rewards, not discounted: more is better. Differences are by how much the options earn more, seed by seed; seeds won is the share of the seeds with which they do, ties half. An episode that does not terminate is truncated after ${whole(task.limit)} steps.`
            : `Area is the mean return of all episodes; the difference is by how much that of the options is larger, seed by seed. An episode that does not get to the goal counts as ${whole(task.limit)} steps and returns 0.`}
          {best != null && ` The largest expected return of any agent in the model is ${num(best, 3)}.`}
          {e.bound && ` The shortest path has ${num(e.bound.steps, 1)} steps, and an area of ${num(e.bound.return, 4)}.`}
        </p>
      </Panel>
      <DiffusionPanel run={run} k={k} asked={query.get("diffusion") !== null} />
    </>
  );
}

const curveSheet = (curves: Curves) => ({
  head: ["episode", "with", "return", "return_low", "return_high", "steps", "steps_low", "steps_high"],
  rows: curves.arms.flatMap((a) => curves.episodes.map((n, i) => [n, a.name, ...[a.return[i], a.steps[i]].flatMap((e) => [e?.value, e?.interval_low, e?.interval_high])])),
});

const estimate = (key: keyof Arm & string, title: string, digits: number, help?: string) =>
  numeric<Arm>(key, title, (a) => (a[key] as Estimate | null)?.value ?? null, (_, a) => spread(a[key] as Estimate | null, digits), help, 26);

const rewardColumns: Column<Arm>[] = [
  { key: "name", title: "with", width: 20, value: (a) => a.name, cell: (a) => armName(a.name) },
  estimate("early_return", "return early", 3),
  estimate("late_return", "return late", 3),
  estimate("area", "mean return", 3, "of all episodes"),
  estimate("late_steps", "length late", 1, "steps of an episode"),
  numeric("reached", "terminated", (a) => a.reached?.value ?? null, percent, "share of the episodes"),
  estimate("difference", "return difference", 3, "by how much the options earn more"),
  numeric("wins_area", "seeds won", (a) => a.against?.wins_area?.value ?? null, percent),
];

const goalColumns: Column<Arm>[] = [
  { key: "name", title: "with", width: 20, value: (a) => a.name, cell: (a) => armName(a.name) },
  estimate("early_steps", "steps early", 1),
  estimate("late_steps", "steps late", 1),
  estimate("area", "area", 4, "mean return of all episodes"),
  numeric("reached", "reached", (a) => a.reached?.value ?? null, percent),
  estimate("difference", "difference", 4, "by how much the area of the options is larger"),
];
