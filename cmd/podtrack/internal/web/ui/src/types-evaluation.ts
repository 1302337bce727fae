import type { Task } from "./types";

// An evaluation, as podtrack evaluate --json prints it, with curves to be drawn.

export interface Estimate {
  value: number;
  interval_low: number | null;
  interval_high: number | null;
}

type Maybe = Estimate | null;

export interface Arm {
  name: string;
  early_steps: Maybe;
  late_steps: Maybe;
  early_return: Maybe;
  late_return: Maybe;
  area: Maybe;
  reached: Maybe;
  difference: Maybe; // area of the options less this arm's
  against?: { wins_area: Maybe }; // of rewards
}

export interface Curves {
  episodes: number[];
  arms: { name: string; return: Maybe[]; steps: Maybe[] }[];
}

/** EvaluationDetail has an evaluation with curves, or a summary of one of many tasks. */
export interface EvaluationDetail {
  k: number;
  evaluation?: OneTask;
  curves?: Curves;
  summary?: Summary;
}

export interface OneTask {
  evaluation: string;
  task: Task;
  options: string[];
  window: number;
  arms: Arm[];
  bound?: Bound;
  rewards?: { best_return: number | null }; // if they are the task
}

/** Bound is that of the shortest path. */
export interface Bound {
  steps: number;
  return: number;
}

export interface Summary {
  runs: { k: number; evaluation: string; options: number }[];
  task: Task;
  window: number;
  bound: Bound;
  arms: SummaryArm[];
  tasks: SummaryTask[];
}

export interface SummaryArm {
  name: string;
  early_steps: Maybe;
  late_steps: Maybe;
  area: Maybe;
  reached: Maybe;
  against: { area: Maybe; wins_early: Wins; wins_late: Wins; wins_area: Wins } | null;
}

export interface Wins {
  share: Maybe;
  clearly_better: number;
  clearly_worse: number;
}

export interface SummaryTask {
  goal: number;
  start: number; // −1: drawn for each episode
  shortest: number;
  arms: { early_steps: number; area: number }[];
}

export interface Diffusion {
  options: number;
  last?: string;
  number?: number; // of the last
  decisions: number;
  steps: number;
  cover_decisions: Maybe;
  cover_steps: Maybe;
}
