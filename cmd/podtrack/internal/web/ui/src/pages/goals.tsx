import { Panel } from "../parts/panel";
import { Plotted } from "../parts/plotted";
import { place } from "../parts/map";
import { numeric, Rows, sheet, type Column } from "../parts/table";
import { num, percent, plural } from "../format";
import type { World } from "../types";
import type { Summary, SummaryArm, SummaryTask, Wins } from "../types-evaluation";
import { armName, commandOf, Head, spread } from "./evaluations";

/** Goals shows what an iteration's options are worth for many tasks. */
export function Goals({ summary: s, run, world }: { summary: Summary; run: string; world?: World }) {
  const { task } = s;
  const { k, options, evaluation } = s.runs[0]!;
  const at = (state: number) => (state < 0 ? "drawn" : world?.plan ? place(world.plan, state) : String(state));
  const against = s.arms.filter((a) => a.against);
  const figure = { name: "goals", of: [`${run}:${k}`], flags: { evaluation, ...(against[0] && { against: against[0].name }) } };
  const line = commandOf(`${run}:${k}`, task);
  const file = `${run}-${k}-goals`;
  const columns = taskColumns(s.arms, at);
  return (
    <>
      <Head run={run} k={k} options={options} task={task} world={world} parts={[...(against[0] ? ["map"] : []), "arms", ...(against[0] ? ["wins"] : []), "tasks"]} />
      {against[0] && (
        <Panel id="map" title="For which goals" aside={`early steps, options ÷ ${armName(against[0].name)}`} command={`podtrack plot goals ${run}:${k} --evaluation ${evaluation.slice(0, 12)} --against ${against[0].name} -o goals.svg`} figure={figure}>
          <Plotted figure={figure} on={evaluation} />
        </Panel>
      )}
      <Panel id="arms" title="With and without options" aside={`early and late are the first and the last ${plural(s.window, "episode")} of a task`} command={line} files={{ name: file, json: s, csv: sheet(armColumns, s.arms) }}>
        <Rows label="arms" columns={armColumns} rows={s.arms} />
        <p class="note">
          Means over tasks and seeds{task.seeds.length > 1 ? ", with 95 % intervals over the seeds (Student's t)" : "; one seed has no interval"}: they are about these options, and not about what other runs would find. The shortest path has {num(s.bound.steps, 1)} steps, and an area of {num(s.bound.return, 4)}.
        </p>
      </Panel>
      {against.length > 0 && (
        <Panel id="wins" title="Wins" aside="share of the tasks for which the options do better" command={line} files={{ name: `${file}-wins`, csv: sheet(winColumns, against) }}>
          <Rows label="wins" columns={winColumns} rows={against} />
          <p class="note">In brackets: for how many tasks a better value is settled (p at most 0.05 and an interval without 0, adjusted for the number of tasks), and for how many a worse one.</p>
        </Panel>
      )}
      <Panel id="tasks" title="Tasks" aside={plural(s.tasks.length, "task")} command={line} files={{ name: `${file}-tasks`, csv: sheet(columns, s.tasks) }}>
        <Rows label="tasks" columns={columns} rows={s.tasks} />
      </Panel>
    </>
  );
}

const estimate = (key: "early_steps" | "late_steps" | "area", title: string, digits: number) =>
  numeric<SummaryArm>(key, title, (a) => a[key]?.value ?? null, (_, a) => spread(a[key], digits), undefined, 26);

const armColumns: Column<SummaryArm>[] = [
  { key: "name", title: "with", width: 24, value: (a) => a.name, cell: (a) => armName(a.name) },
  estimate("early_steps", "steps early", 1),
  estimate("late_steps", "steps late", 1),
  estimate("area", "area", 4),
  { key: "reached", title: "reached", right: true, width: 12, sort: (a) => a.reached?.value ?? null, cell: (a) => percent(a.reached?.value) },
];

const win = (key: "wins_early" | "wins_late" | "wins_area", title: string) =>
  numeric<SummaryArm>(key, title, (a) => a.against?.[key].share?.value ?? null, (_, a) => wins(a.against?.[key]), undefined, 22);

const wins = (w?: Wins) => (w ? `${percent(w.share?.value)} [${w.clearly_better} : ${w.clearly_worse}]` : "–");

const winColumns: Column<SummaryArm>[] = [
  { key: "name", title: "options against", width: 24, value: (a) => a.name, cell: (a) => armName(a.name) },
  { key: "difference", title: "area difference", right: true, width: 28, sort: (a) => a.against?.area?.value ?? null, cell: (a) => spread(a.against?.area ?? null, 4) },
  win("wins_early", "wins early"),
  win("wins_late", "wins late"),
  win("wins_area", "wins in area"),
];

/** taskColumns has the early steps and the area of each arm. */
function taskColumns(arms: SummaryArm[], at: (state: number) => string): Column<SummaryTask>[] {
  return [
    { key: "goal", title: "to", width: 12, sort: (t) => t.goal, cell: (t) => at(t.goal) },
    { key: "start", title: "from", width: 12, sort: (t) => t.start, cell: (t) => at(t.start) },
    { key: "shortest", title: "shortest path", right: true, width: 16, sort: (t) => t.shortest, cell: (t) => num(t.shortest, 1) },
    ...arms.flatMap((a, i): Column<SummaryTask>[] => [
      { key: `${a.name}_early`, title: `early: ${armName(a.name)}`, right: true, width: armName(a.name).length + 11, sort: (t) => t.arms[i]!.early_steps, cell: (t) => num(t.arms[i]!.early_steps, 1) },
      { key: `${a.name}_area`, title: `area: ${armName(a.name)}`, right: true, width: armName(a.name).length + 10, sort: (t) => t.arms[i]!.area, cell: (t) => num(t.arms[i]!.area, 4) },
    ]),
  ];
}
