import { useEffect, useReducer, useRef } from "preact/hooks";
import { json, type Failure } from "../api";
import { seen, useRevision, useRunRows } from "../events";
import { parameters } from "../links";
import type { Run, Runs } from "../types";

// The runs of a list that may be long: only the parts that are looked at are read,
// a few rows at a time.

const rows = 50;

// So many parts are read at once. Each answer draws the list again, which then asks
// for what is seen by that time, not for all that was passed on the way.
const atOnce = 3;

export interface Section {
  query: string[];
  value?: string; // that its runs have in the field by which they are grouped
  total?: number; // as far as it is known
}

interface Part {
  runs?: Run[];
  stale: boolean;
  rests?: boolean; // it is read, or was a moment ago
}

const pause = 2000; // milliseconds from an answer to the next question about the same rows

interface List {
  total: (section: number) => number | undefined;
  at: (section: number, i: number) => Run | undefined;
  need: (section: number, from: number, to: number) => void;
  read: () => Run[]; // those that are there
  error?: Failure;
}

/** runsQuery asks for runs with series of measures, those of stages of one's own included. */
export const runsQuery = (q: string[], sort: string | null, measures: string[]) =>
  `${parameters("q", q)}${sort ? `&${new URLSearchParams({ sort })}` : ""}${measures.map((m) => `&measure=${m}`).join("")}&own=true`;

/** useRuns reads sections of runs with series of measures, in the order of a sort key, and keeps them up to date. */
export function useRuns(sections: Section[], sort: string | null, measures: string[]): List {
  const revision = useRevision();
  const [, again] = useReducer((n: number) => n + 1, 0);
  const parts = useRef(new Map<string, Part>());
  const totals = useRef(new Map<string, number>());
  const asked = useRef(0);
  const error = useRef<Failure | undefined>(undefined);
  const name = (s: Section) => runsQuery(s.query, sort, measures);

  const known = useRef(revision);
  useEffect(() => {
    if (known.current === revision) return;
    known.current = revision;
    for (const part of parts.current.values()) part.stale = true;
    again(undefined);
  }, [revision]);

  useRunRows((run) => {
    for (const part of parts.current.values()) {
      const i = part.runs?.findIndex((r) => r.run === run.run) ?? -1;
      if (i >= 0) part.runs![i] = { ...run, series: part.runs![i]!.series };
    }
    again(undefined);
  });

  const read = (of: string, page: number) => {
    const key = `${of} ${page}`;
    const part = parts.current.get(key) ?? { stale: true };
    if (!part.stale || part.rests || asked.current >= atOnce) return;
    part.rests = true;
    parts.current.set(key, part);
    asked.current++;
    part.stale = false;
    json<Runs>(`/api/runs?${of}&offset=${page * rows}&limit=${rows}`)
      .then((answer) => {
        seen(answer.revision);
        part.runs = answer.runs;
        totals.current.set(of, answer.total);
        error.current = undefined;
      })
      .catch((e) => {
        if (e.status === 503) part.stale = true; // it is asked for again
        if (e.status !== 503 || !part.runs) error.current = e;
      })
      .finally(() => {
        asked.current--;
        again(undefined);
        setTimeout(() => {
          part.rests = false;
          if (part.stale) again(undefined);
        }, pause);
      });
  };

  return {
    total: (n) => totals.current.get(name(sections[n]!)) ?? sections[n]!.total,
    at: (n, i) => parts.current.get(`${name(sections[n]!)} ${Math.floor(i / rows)}`)?.runs?.[i % rows],
    need: (n, from, to) => {
      const of = name(sections[n]!);
      for (let page = Math.floor(from / rows); page * rows < Math.max(to, 1); page++) read(of, page);
    },
    read: () => [...parts.current.values()].flatMap((part) => part.runs ?? []),
    error: error.current,
  };
}
