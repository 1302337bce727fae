import { useWorld } from "../api";
import { command, optional } from "../command";
import { place } from "../parts/map";
import { Facts, Panel, Parts, Path } from "../parts/panel";
import { Empty } from "../parts/states";
import { Rows, type Column } from "../parts/table";
import { num, plural, short, whole } from "../format";
import { evaluationLink, iterationPath, runLink } from "../links";
import { go, useAnchor } from "../router";
import type { Detail, Evaluated, Task, World } from "../types";
import type { Estimate } from "../types-evaluation";
import { label } from "./fields";

type Row = Evaluated & { k: number };

/** named is a word for the algorithm, with what is done besides. */
const named = (e: Task) => `${e.algorithm}${e.interrupt ? ", interrupting" : ""}`;

/** start is where the tasks of an evaluation start. */
const start = (t: Task, at: (state: number) => string) => ((t.tasks ?? []).some((x) => x.start !== t.start) ? "several starts" : t.start < 0 ? "a start drawn for each episode" : at(t.start));

/** stateName names a state by its place, where the states have one. */
const stateName = (world: World | undefined) => (state: number) => (world?.plan ? place(world.plan, state) : `state ${state}`);

/** taskName is what an evaluation is called, in the list and as a heading. */
function taskName(t: Task, at: (state: number) => string): string {
  if (t.tasks) return `${plural(new Set(t.tasks.map((x) => x.goal)).size, "goal")} from ${start(t, at)}`;
  if (!t.reward) return `From ${start(t, at)} to ${at(t.goal)}`;
  return `Rewards from ${t.start < 0 ? "where recorded episodes began" : at(t.start)}`;
}

/** Head is what stands above an evaluation: where it belongs, its task, and how it was trained. */
export function Head({ run, k, options, task, world, parts }: { run: string; k: number; options: number; task: Task; world?: World; parts: string[] }) {
  useAnchor();
  return (
    <>
      <Path to={[[run, `${runLink(run)}#evaluations`], iterationPath(run, k)]} />
      <h1>{taskName(task, stateName(world))}</h1>
      <Parts of={parts} />
      <Facts
        facts={[
          ["options", `${plural(options, "option")} of ${task.all && k > 0 ? `iterations 0 to ${k}` : `iteration ${k}`}`],
          ["learned by", `${named(task)}, γ ${short(task.gamma)}, α ${short(task.alpha)}, ε ${short(task.epsilon)}${task.algorithm === "published" ? "" : " falling to 0"}`],
          ["training", `${task.tasks ? `${plural(task.tasks.length, "task")}, ` : ""}${plural(task.seeds.length, "seed")}, ${plural(task.episodes, "episode")} of up to ${whole(task.limit)} steps`],
          ["against", task.against.map(armName).join(", ") || "nothing"],
        ]}
      />
    </>
  );
}

const columnsFor = (run: string, at: (state: number) => string): Column<Row>[] => [
  { key: "evaluation", title: "evaluation", width: 16, cell: (r) => <a href={evaluationLink(run, r.evaluation)} tabIndex={-1} title={r.evaluation}>{r.evaluation.slice(0, 12)}</a> },
  { key: "k", title: "of iteration", right: true, width: 14, cell: (r) => `${r.task.all ? "0–" : ""}${r.k}` },
  { key: "options", title: "options", right: true, width: 12, cell: (r) => whole(r.options) },
  { key: "goal", title: "task", width: 34, cell: (r) => taskName(r.task, at) },
  { key: "algorithm", title: "learned by", width: 30, cell: (r) => named(r.task) },
  { key: "seeds", title: "seeds", right: true, width: 10, cell: (r) => r.task.seeds.length },
  { key: "episodes", title: "episodes", right: true, width: 12, cell: (r) => whole(r.task.episodes) },
  { key: "against", title: "against", width: 22, cell: (r) => r.task.against.join(", ") || "–" },
];

/** Evaluations are what the run's options were put to use for. */
export function Evaluations({ detail }: { detail: Detail }) {
  const rows = detail.history.flatMap((it) => (it.evaluations ?? []).map((e) => ({ ...e, k: it.k })));
  const world = useWorld(detail);
  return (
    <Panel id="evaluations" title="Evaluations" aside={rows.length ? plural(rows.length, "evaluation") : undefined} command={command("evaluate", label(detail), "--task", "goal=STATE")} files={rows.length ? { name: `${label(detail)}-evaluations`, json: rows } : undefined}>
      {rows.length === 0 ? (
        <Empty>No evaluation yet. The command below measures what the options are worth to an agent that has to reach a state, or with --task reward to earn the environment's rewards; the result is recorded and shown here.</Empty>
      ) : (
        <Rows label="evaluations" columns={columnsFor(label(detail), stateName(world))} rows={rows} onOpen={(r) => go(evaluationLink(label(detail), r.evaluation))} />
      )}
    </Panel>
  );
}

/** commandOf is the command that shows the evaluation again; of drawn pairs it does not know how they were drawn. */
export function commandOf(of: string, t: Task): string {
  const from = t.start < 0 ? "" : `,start=${t.start}`;
  const one = t.reward ? "reward" : `goal=${t.goal}`;
  const tasks = t.tasks?.some((x) => x.start !== t.start) ? ["--pairs", String(t.tasks.length)] : ["--task", `${t.tasks ? "all" : one}${from}`];
  const published = t.algorithm === "published";
  const words = [of, ...tasks, "--protocol", t.algorithm];
  const flags: [boolean, ...string[]][] = [
    [t.interrupt, "--interrupt"],
    [true, "--episodes", String(t.episodes), "--steps", String(t.limit), "--seeds", ranges(t.seeds)],
    [t.alpha !== 0.1, "--alpha", String(t.alpha)],
    [t.epsilon !== (published ? 0.01 : 0.1), "--epsilon", String(t.epsilon)],
    [t.gamma !== (t.reward ? 0.99 : 0.9), "--task-gamma", String(t.gamma)],
    [t.against.join() !== "primitives,random-own", "--against", t.against.join(",") || "none"],
    [t.all, "--all"],
  ];
  return optional("podtrack evaluate", [...words, ...flags.flatMap(([given, ...rest]) => (given ? rest : []))]);
}

/** ranges writes seeds as the command line takes them: 0-9,12. */
function ranges(seeds: (number | string)[]): string {
  const parts: string[] = [];
  for (let i = 0; i < seeds.length; ) {
    let j = i;
    while (BigInt(seeds[j + 1] ?? -1) === BigInt(seeds[j]!) + 1n) j++;
    parts.push(i === j ? `${seeds[i]}` : `${seeds[i]}-${seeds[j]}`);
    i = j + 1;
  }
  return parts.join(",");
}

export function spread(e: Estimate | null, digits: number): string {
  if (!e) return "–";
  return e.interval_low === null || e.interval_high === null ? num(e.value, digits) : `${num(e.value, digits)} [${num(e.interval_low, digits)}, ${num(e.interval_high, digits)}]`;
}

/** armName is what an arm of an evaluation is called. */
export const armName = (name: string) => ({ primitives: "primitive actions", "random-own": "random options", hallways: "hallway options" })[name] ?? name;
