// The titles of measures and their units, as in the tables of the commands.

import type { Spec } from "./types";

const titles: Record<string, [string, string?]> = {
  purposes: ["purposes"],
  options: ["options"],
  available: ["available", "options"],
  calls: ["calls"],
  truncated: ["truncated", "calls"],
  option_length: ["option length", "steps"],
  reach: ["mean steps", "steps"],
  distance: ["distance", "steps"],
  final: ["final", "steps"],
  distance_one_sided: ["one-sided", "steps"],
  states_visited: ["states"],
  covered: ["covered", "states"],
  covered_share: ["covered share"],
  new_states: ["new states"],
  entropy: ["entropy", "bits"],
  entropy_normalised: ["normalised entropy"],
  steps_to_quarter: ["steps to a quarter", "steps"],
  steps_to_half: ["steps to half", "steps"],
  steps_to_all: ["steps to all", "steps"],
  end_sets: ["end sets"],
  initiation_overlap: ["initiation overlap"],
  termination_overlap: ["termination overlap"],
  start_share: ["start share"],
  episodes: ["episodes"],
  mean_return: ["mean return", "reward"],
  median_return: ["median return", "reward"],
  last_return: ["last return", "reward"],
  episode_steps: ["episode steps", "steps"],
  mean_reward: ["mean reward", "reward"],
};

/** recorded are the measures that each iteration records; the others are computed from it. */
export const recorded = Object.keys(titles).slice(0, 11);

/** ownOf are the measures of the stages of one's own of some runs. */
export const ownOf = (runs: { spec: Spec }[]) => [...new Set(runs.flatMap((run) => run.spec.stages?.measure?.measures ?? []))];

/** digitsOf is how many decimals means of a measure have: more where it is a share. */
export const digitsOf = (measure: string): number => (/share|overlap|normalised|return|reward/.test(measure) ? 3 : 2);

export const titleOf = (measure: string): string => titles[measure]?.[0] ?? measure;

/** labelOf is the title with the unit, for a chart. */
export function labelOf(measure: string): string {
  const unit = titles[measure]?.[1];
  return titleOf(measure) + (unit ? ` (${unit})` : "");
}

/** decimals is how many give each of some numbers three digits, six at most; none if all are whole. */
export const decimals = (values: (number | null)[]) =>
  Math.max(0, ...values.map((x) => (!Number.isFinite(x) || Number.isInteger(x) ? 0 : Math.min(Math.max(2 - Math.floor(Math.log10(Math.abs(x!))), 1), 6))));
