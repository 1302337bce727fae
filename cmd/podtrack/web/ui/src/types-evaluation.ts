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
  without?: number;
  option?: string; // that is left out
  early_steps: Maybe;
  late_steps: Maybe;
  area: Maybe;
  reached: Maybe;
  difference: Maybe; // area of the options less this arm's
}

export interface Curves {
  window: number;
  episodes: number[];
  arms: { name: string; return: Maybe[]; steps: Maybe[] }[];
}

export interface EvaluationDetail {
  run: string;
  k: number;
  evaluation: { evaluation: string; task: Task; options: string[]; window: number; arms: Arm[] };
  curves: Curves;
}

export interface Diffusion {
  options: number;
  last?: string;
  decisions: number;
  steps: number;
  cover_decisions: Maybe;
  cover_steps: Maybe;
}
