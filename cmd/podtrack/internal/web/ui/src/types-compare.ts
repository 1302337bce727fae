// The answers about several runs, and about why an option is there.

import type { PrintedTable } from "./parts/printed";

export interface Chance {
  mean: number | null;
  p95: number | null;
}

export interface Pair {
  a: string;
  b: string;
  number_a: number | null;
  number_b: number | null;
  cosine: number;
  matched: boolean;
  sigma_a: number;
  sigma_b: number;
  policy_agreement?: number;
  policy_agreement_ties?: number;
  initiation_jaccard?: number;
  terminal_agreement?: number;
  value_rmse?: number;
  differing?: number;
}

export interface Difference {
  field: string;
  a: string;
  b: string;
}

export interface Compared {
  k: number;
  a: string;
  b: string;
  identical: boolean;
  equivalent: boolean;
  overlap: number | null;
  overlap_most: number | null;
  cosine: number | null;
  threshold: number;
  chance: Chance;
  pairs: Pair[];
  only_a: string[];
  only_b: string[];
}

export interface RunsDiff {
  identical: boolean;
  parted: { k: number; stage: string } | null;
  spec: Difference[];
  iterations: Compared[];
}

export interface OptionsDiff {
  identical: boolean;
  equivalent: boolean;
  spec: Difference[];
  pair: Pair;
  threshold: number;
  chance: Chance;
  features: string[];
  vector_a: number[];
  vector_b: number[];
}

/** Incomparable are two runs, iterations or options of which only the specs compare. */
export interface Incomparable {
  spec: Difference[];
  incomparable: { error: string };
}

export interface Summary {
  n: number;
  mean: number | null;
  sd: number | null;
  interval_low: number | null; // of the mean
  interval_high: number | null;
  censored: number; // of the n, which count as the budget
  budget: number | null; // null of measures that are not times
}

export interface Estimate {
  value: number;
  interval_low: number | null;
  interval_high: number | null;
}

export interface Member {
  run: string;
  name: string;
}

/** GroupOf is a group of runs; values are those of the fields by which runs were split. */
export interface GroupOf {
  filter: string;
  runs: Member[];
  values?: string[];
}

export interface Outcome extends Summary {
  against_baseline: { difference: Estimate | null; improvement: Estimate | null; p_holm: number | null; verdict: string } | null;
}

export interface Compare {
  groups: GroupOf[];
  pairings: ({ field: string; pairs: number; alone_a: Member[] | null; alone_b: Member[] | null } | null)[];
  fields: { field: string; values: string[][] }[];
  level: number;
  each_level: number;
  intervals: { mean: string; difference: string; improvement: string };
  measures: { measure: string; iterations: { k: number; groups: Outcome[] }[] }[];
}

export interface Summaries {
  level: number;
  interval: string;
  groups: (GroupOf & { measures: { measure: string; iterations: ({ k: number } & Summary)[] }[] })[];
}

export interface Distinct {
  name: string;
  sigma: number;
  directions: number;
  runs: number;
  prevalence: number;
  low: number;
  high: number;
  first: number;
  found: (number | null)[];
}

export interface Group {
  by: string; // purposes or options
  verdict: string;
  runs: { label: string; iterations: number }[];
  empty: { label: string }[];
  threshold: number;
  directions: number;
  purposes: Distinct[];
  options: { distinct: Distinct[]; threshold: number; count: number } | null;
}

export interface Source {
  source: string;
  steps: number;
  share: number;
  support: number;
  number: number | null;
  without: { cosine: number; sigma: number; selected: boolean } | null;
}

export interface Evidence {
  row: number[];
  from?: number;
  to?: number;
  count: number;
  product: number;
  share: number;
  support: number;
  steps: { k: number; step: number }[];
}

export interface Ancestor {
  option: string;
  number: number;
  depth: number;
  share: number;
  influence: number;
}

export interface Why {
  option: string;
  number: number | null;
  purpose: {
    margin: number;
    kappa: number;
    basis: string;
    method: string;
    gap_above: number | null;
    gap_below: number | null;
    warnings: string[];
    directions_from?: string; // the external method whose direction it is
  };
  dataset: { rows: number; distinct: number; iterations: [number, number] };
  evidence: Evidence[];
  sources: Source[];
  ancestors: Ancestor[];
  chain: { k: number; what: string; digest: string; verified: boolean; how: string }[] | null; // of stage 5
}

/** StudySetting has the outcomes of the variants in a setting. */
export interface StudySetting {
  name: string;
  label?: string;
  outcome: string;
  variants: {
    name: string;
    label?: string;
    mean: number | null;
    sd: number | null;
    outcomes: { run: string; name: string; seed: number | string; value: number | null }[];
  }[];
}

/** StudySection is what podtrack compare prints of the comparisons over settings, or of those in each. */
export interface StudySection {
  title: string;
  verdicts: string[];
  table: PrintedTable;
  note: string;
}

/** Study compares the variants of a study. */
export interface Study {
  study: string;
  planned: number;
  complete: number;
  state: string[];
  sections: StudySection[];
  settings: StudySetting[];
  progress: { setting: string; variant: string; planned: number; complete: number; incomplete: number }[];
}
