import { useSteady } from "../api";
import { optional } from "../command";
import { Facts, Panel } from "../parts/panel";
import { place } from "../parts/map";
import { Shown } from "../parts/states";
import { Rows, sheet, type Column } from "../parts/table";
import { num, percent, plural, short, whole } from "../format";
import { optionLink, runLink, shown } from "../links";
import { useAnchor } from "../router";
import type { Task, World } from "../types";
import type { Arm, Estimate, EvaluationDetail } from "../types-evaluation";
import { armName, Curve } from "./curve";
import { DiffusionPanel } from "./diffusion";
import { named } from "./evaluations";

/** EvaluationView shows what an iteration's options are worth for a task. */
export function EvaluationView({ run, evaluation, query }: { run: string; evaluation: string; query: URLSearchParams }) {
  const of = `/api/runs/${encodeURIComponent(run)}`;
  const answer = useSteady<EvaluationDetail>(`${of}/evaluations/${encodeURIComponent(evaluation)}`);
  const world = useSteady<World>(`${of}/world`);
  return (
    <Shown answer={answer} what="the evaluation">
      {(detail) => <Page detail={detail} run={run} world={world.data} query={query} />}
    </Shown>
  );
}

function Page({ detail, run, world, query }: { detail: EvaluationDetail; run: string; world?: World; query: URLSearchParams }) {
  useAnchor();
  const { k, evaluation: e } = detail;
  const { task } = e;
  const at = (s: number) => (s < 0 ? "a start drawn for each episode" : world?.plan ? place(world.plan, s) : `state ${s}`);
  const arms = e.arms.filter((a) => a.without === undefined);
  const left = e.arms.filter((a) => a.without !== undefined).toSorted((a, b) => (b.difference?.value ?? 0) - (a.difference?.value ?? 0));
  const line = commandOf(`${run}:${k}`, task);
  const file = `${run}-${k}-evaluation`;
  return (
    <>
      <p class="path">
        <a href="/">runs</a> / <a href={`${runLink(run)}#evaluations`}>{run}</a> / <a href={`${runLink(run)}?of=${k}#options`}>iteration {k}</a> /
      </p>
      <h1>
        From {at(task.start)} to {at(task.goal)}
      </h1>
      <nav class="parts" aria-label="parts of this page">
        {["curves", "arms", ...(left.length ? ["left-out"] : []), "diffusion"].map((part) => (
          <a key={part} href={`#${part}`}>
            {part.replace("-", " ")}
          </a>
        ))}
      </nav>
      <Facts
        facts={[
          ["options", `${plural(e.options.length, "option")} of ${task.all && k > 0 ? `iterations 0 to ${k}` : `iteration ${k}`}`],
          ["learned by", `${named(task)}, γ ${short(task.gamma)}, α ${short(task.alpha)}, ε ${short(task.epsilon)}`],
          ["training", `${plural(task.seeds.length, "seed")}, ${plural(task.episodes, "episode")} of up to ${whole(task.limit)} steps`],
          ["against", task.against.map(armName).join(", ") || "nothing"],
        ]}
      />
      <Curve curves={detail.curves} of={`${run}:${k}`} evaluation={e.evaluation} command={line} shows={query.get("shows") === "steps" ? "steps" : "return"} seeds={task.seeds.length} limit={task.limit} />
      <Panel id="arms" title="With and without options" aside={`early and late are the first and the last ${plural(e.window, "episode")}`} command={line} files={{ name: file, json: detail, csv: sheet(armColumns, arms) }}>
        <Rows label="arms" columns={armColumns} rows={arms} />
        <p class="note">
          Means over seeds{task.seeds.length > 1 ? " with their 95 % intervals (Student's t)" : "; one seed has no interval"}. Area is the mean return of all episodes; the difference is by how much that of the options is larger, seed by seed. An episode that does not get to the goal counts as {whole(task.limit)} steps and returns 0.
        </p>
      </Panel>
      {left.length > 0 && (
        <Panel id="left-out" title="Leave one out" aside="the option that is missed most comes first" command={line} files={{ name: `${file}-left-out`, csv: sheet(leftColumns(run), left) }}>
          <Rows label="options by what they contribute" columns={leftColumns(run)} rows={left} />
        </Panel>
      )}
      <DiffusionPanel run={run} k={k} asked={query.get("diffusion") !== null} />
    </>
  );
}

/** commandOf is the command that shows the evaluation again. */
function commandOf(of: string, t: Task): string {
  const words = [of, "--task", `goal=${t.goal}${t.start < 0 ? "" : `,start=${t.start}`}`, "--algorithm", t.algorithm];
  const flags: [boolean, ...string[]][] = [
    [t.interrupt, "--interrupt"],
    [true, "--episodes", String(t.episodes), "--steps", String(t.limit), "--seeds", ranges(t.seeds)],
    [t.alpha !== 0.1, "--alpha", String(t.alpha)],
    [t.epsilon !== 0.1, "--epsilon", String(t.epsilon)],
    [t.gamma !== 0.9, "--task-gamma", String(t.gamma)],
    [t.against.join() !== "primitives,random", "--against", t.against.join(",") || "none"],
    [t.leave_one_out, "--leave-one-out"],
    [t.all, "--all"],
  ];
  return optional("podtrack evaluate", [...words, ...flags.flatMap(([given, ...rest]) => (given ? rest : []))]);
}

/** ranges writes seeds as the command line takes them: 0-9,12. */
function ranges(seeds: number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < seeds.length; ) {
    let j = i;
    while (seeds[j + 1] === seeds[j]! + 1) j++;
    parts.push(i === j ? `${seeds[i]}` : `${seeds[i]}-${seeds[j]}`);
    i = j + 1;
  }
  return parts.join(",");
}

export function spread(e: Estimate | null, digits: number): string {
  if (!e) return "–";
  return e.interval_low === null || e.interval_high === null ? num(e.value, digits) : `${num(e.value, digits)} [${num(e.interval_low, digits)}, ${num(e.interval_high, digits)}]`;
}

const estimate = (key: keyof Arm & string, title: string, digits: number, help?: string): Column<Arm> => ({
  key,
  title,
  help,
  right: true,
  width: 26,
  sort: (a) => (a[key] as Estimate | null)?.value ?? null,
  cell: (a) => spread(a[key] as Estimate | null, digits),
});

const armColumns: Column<Arm>[] = [
  { key: "name", title: "with", width: 20, value: (a) => a.name, cell: (a) => armName(a.name) },
  estimate("early_steps", "steps early", 1),
  estimate("late_steps", "steps late", 1),
  estimate("area", "area", 4, "mean return of all episodes"),
  { key: "reached", title: "reached", right: true, width: 12, sort: (a) => a.reached?.value ?? null, cell: (a) => percent(a.reached?.value) },
  estimate("difference", "difference", 4, "by how much the area of the options is larger"),
];

const leftColumns = (run: string): Column<Arm>[] => [
  { key: "option", title: "without", width: 16, value: (a) => a.option, cell: (a) => <Left run={run} option={a.option ?? ""} /> },
  estimate("difference", "difference", 4, "by how much the area is larger with the option"),
  estimate("area", "area", 4),
  estimate("late_steps", "steps late", 1),
];

function Left({ run, option }: { run: string; option: string }) {
  const found = /^(\d+)\/(\d+[+-])$/.exec(option);
  return found ? <a href={optionLink(run, Number(found[1]), found[2]!)}>{shown(option)}</a> : <>{option || "–"}</>;
}
