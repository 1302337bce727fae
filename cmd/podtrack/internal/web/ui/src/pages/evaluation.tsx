import { useSteady } from "../api";
import { Facts, Panel } from "../parts/panel";
import { Plotted } from "../parts/plotted";
import { Shown } from "../parts/states";
import { Rows, sheet, type Column } from "../parts/table";
import { num, percent, plural, short, whole } from "../format";
import { runLink } from "../links";
import { useAnchor } from "../router";
import type { World } from "../types";
import type { Arm, Curves, Estimate, EvaluationDetail, OneTask } from "../types-evaluation";
import { DiffusionPanel } from "./diffusion";
import { named, stateName, taskName } from "./evaluations";
import { armName, commandOf, spread } from "./evaluationtext";
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
  useAnchor();
  const { k } = detail;
  const { task } = e;
  const at = stateName(world);
  const line = commandOf(`${run}:${k}`, task);
  const file = `${run}-${k}-evaluation`;
  const figure = { name: "evaluation", of: [`${run}:${k}`], flags: { evaluation: e.evaluation } };
  const armColumns = task.reward ? rewardColumns : goalColumns;
  const best = e.rewards?.best_return;
  return (
    <>
      <p class="path">
        <a href="/">runs</a> / <a href={`${runLink(run)}#evaluations`}>{run}</a> / <a href={`${runLink(run)}?of=${k}#options`}>iteration {k}</a> /
      </p>
      <h1>
        {taskName(task, at)}
      </h1>
      <nav class="parts" aria-label="parts of this page">
        {["curves", "arms", "diffusion"].map((part) => (
          <a key={part} href={`#${part}`}>
            {part}
          </a>
        ))}
      </nav>
      <Facts
        facts={[
          ["options", `${plural(e.options.length, "option")} of ${task.all && k > 0 ? `iterations 0 to ${k}` : `iteration ${k}`}`],
          ["learned by", `${named(task)}, γ ${short(task.gamma)}, α ${short(task.alpha)}, ε ${short(task.epsilon)}${task.algorithm === "published" ? "" : " falling to 0"}`],
          ["training", `${plural(task.seeds.length, "seed")}, ${plural(task.episodes, "episode")} of up to ${whole(task.limit)} steps`],
          ["against", task.against.map(armName).join(", ") || "nothing"],
        ]}
      />
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

const estimate = (key: keyof Arm & string, title: string, digits: number, help?: string): Column<Arm> => ({
  key,
  title,
  help,
  right: true,
  width: 26,
  sort: (a) => (a[key] as Estimate | null)?.value ?? null,
  cell: (a) => spread(a[key] as Estimate | null, digits),
});

/** compared is a column of how the options do beside an arm, where rewards are the task. */
const compared = (key: keyof NonNullable<Arm["against"]>, title: string): Column<Arm> => ({
  key,
  title,
  right: true,
  width: 14,
  sort: (a) => a.against?.[key]?.value ?? null,
  cell: (a) => percent(a.against?.[key]?.value),
});

const rewardColumns: Column<Arm>[] = [
  { key: "name", title: "with", width: 20, value: (a) => a.name, cell: (a) => armName(a.name) },
  estimate("early_return", "return early", 3),
  estimate("late_return", "return late", 3),
  estimate("area", "mean return", 3, "of all episodes"),
  estimate("late_steps", "length late", 1, "steps of an episode"),
  { key: "reached", title: "terminated", help: "share of the episodes", right: true, width: 14, sort: (a) => a.reached?.value ?? null, cell: (a) => percent(a.reached?.value) },
  estimate("difference", "return difference", 3, "by how much the options earn more"),
  compared("wins_area", "seeds won"),
];

const goalColumns: Column<Arm>[] = [
  { key: "name", title: "with", width: 20, value: (a) => a.name, cell: (a) => armName(a.name) },
  estimate("early_steps", "steps early", 1),
  estimate("late_steps", "steps late", 1),
  estimate("area", "area", 4, "mean return of all episodes"),
  { key: "reached", title: "reached", right: true, width: 12, sort: (a) => a.reached?.value ?? null, cell: (a) => percent(a.reached?.value) },
  estimate("difference", "difference", 4, "by how much the area of the options is larger"),
];
