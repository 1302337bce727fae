import { optional } from "../command";
import { num } from "../format";
import type { Task } from "../types";
import type { Estimate } from "../types-evaluation";

// What views of evaluations say.

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
