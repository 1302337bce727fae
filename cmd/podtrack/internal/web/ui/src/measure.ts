// Measures by name, as in the tables of the commands.

import { explorationMeasures, recordedMeasures, type Described } from "./measures";
import type { Spec } from "./types";

const all: Record<string, Described | undefined> = { ...recordedMeasures, ...explorationMeasures };

/** recorded are the measures that each iteration records; the others are computed from it. */
export const recorded = Object.keys(recordedMeasures);

/** ownOf are the measures of the stages of one's own of some runs. */
export const ownOf = (runs: { spec: Spec }[]) => [...new Set(runs.flatMap((run) => run.spec.stages?.measure?.measures ?? []))];

/** digitsOf is how many decimals means of a measure have; a measure of a stage of one's own is in none of the tables. */
export const digitsOf = (measure: string): number => all[measure]?.digits ?? 3;

export const titleOf = (measure: string): string => all[measure]?.title ?? measure;

/** meaningOf is what the glossary has of a measure. */
export const meaningOf = (measure: string): string | undefined => all[measure]?.meaning;

/** labelOf is the title with the unit, for a chart. */
export function labelOf(measure: string): string {
  const unit = all[measure]?.unit;
  return titleOf(measure) + (unit ? ` (${unit})` : "");
}

/** decimals is how many give each of some numbers three digits, six at most; none if all are whole. */
export const decimals = (values: (number | null)[]) =>
  Math.max(0, ...values.map((x) => (!Number.isFinite(x) || Number.isInteger(x) ? 0 : Math.min(Math.max(2 - Math.floor(Math.log10(Math.abs(x!))), 1), 6))));
