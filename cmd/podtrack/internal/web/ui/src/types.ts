// The answers of /api, as far as the page reads them. They are the documents that
// the commands print with --json.

export type Status = "running" | "interrupted" | "complete" | "failed";

export interface Spec {
  env: { name: string; version: number; params: Record<string, number> | null; text?: Record<string, string>; external?: { version: string; observes: string; reward?: boolean } };
  kappa: number;
  stages?: Record<string, { name: string; version: string; measures?: string[] }>; // those that are not podtrack's
  [field: string]: unknown;
}

export interface Run {
  run: string;
  short: string;
  name: string;
  seed: number | string; // text beyond 2⁵³
  env: string;
  reading: string;
  iterations: number;
  target: number;
  status: Status;
  head: string | null;
  reason?: string; // why the last process on an incomplete run ended
  tags: string[];
  note: string;
  created: string;
  ancestors: { run: string; until: number }[];
  spec: Spec;
  places?: Place[]; // in studies
  series?: Record<string, (number | null)[]>; // by measure, of some or all iterations, the last one included
}

export interface Section {
  title: string;
  entries: { word: string; meaning: string }[];
}

/** Place is a place of a run in a study. */
export interface Place {
  study: string;
  setting: string;
  variant: string;
}

export interface ListedStudy {
  study: string;
  title: string;
}

export interface Runs {
  total: number;
  revision: string;
  runs: Run[];
}

/** Field is a field of the selected runs' specs with the values that it has. */
export interface Field {
  field: string;
  values: { value: string; term: string; runs: number }[]; // the term of a filter selects the runs with the value
  more?: number; // values beyond those listed
  usual?: boolean; // all runs have the value of the paper's experiment
}

export interface Stored {
  kind: string;
  digest: string;
  bytes: number;
  stored: number;
  pruned?: boolean;
}

/** Exploration is how a run explored; null is what is not defined. */
export interface Exploration {
  states: number | null; // that can be reached
  covered: number | null;
  steps: number;
  steps_to_quarter: number | null;
  steps_to_half: number | null;
  steps_to_all: number | null;
  iterations: (Measured & {
    options: Record<string, number | null> | null;
    options_pruned?: boolean; // some that it made, so that options is null
  })[];
}

/** Measured is an iteration with some measures by name; null is what is not defined. */
export type Measured = { k: number } & Record<string, unknown>;

export interface Iteration {
  k: number;
  link: string;
  steps: number;
  sigma: number[] | null;
  external_measures?: Record<string, number | null>; // of a stage of one's own
  records: Stored[];
  cost: Record<string, number>;
  rejected?: Rejected[];
  eigenpurposes?: { j: number; sigma: number; vector: number[] }[];
}

/** Rejected is a direction that did not become options. */
export interface Rejected {
  direction: string;
  k: number;
  j: number;
  sigma: number;
  lambda?: number;
  reason: string;
  nearest: string;
  why: string;
}

export interface Session {
  started: string;
  seconds: number;
  cpu_seconds: number;
  peak_bytes: number;
  host: string;
  go: string;
  platform: string;
  revision: string;
  from: number;
  to: number;
}

export interface Detail extends Run {
  history: Iteration[];
  sessions: Session[];
  proves?: string;
  findings?: Warning[];
}

/** Warning is what keeps a run from its purpose. */
export interface Warning {
  text: string;
  remedies: { text: string }[];
}

export interface Certificate {
  termination: string;
  acyclic: boolean;
  longest: number | null;
  reach: number | null;
  initiation: number;
  null: boolean;
}

export interface Option extends Certificate {
  option: string;
  number: number;
  k: number;
  j: number;
  sign: number;
  sigma: number;
  calls: number;
  length: number | null;
  cut: number;
  gained: number;
}

export interface OptionDetail {
  option: string;
  k: number;
  number: number;
  purpose: { j: number; sign: number; sigma: number; vector: number[] };
  features: string[];
  certificate: Certificate;
  states: number;
  method: string;
}

export interface Version {
  version?: string;
  store: string;
}
