import { useEffect, useRef, useState } from "preact/hooks";
import { answer, Failure, parse } from "./request";

// Answers that come in stages: lines of JSON, each as soon as it is known.

interface Line<T> {
  doing?: string;
  done: number;
  of: number;
  report?: T;
  error?: string;
  remedy?: string;
}

interface State<T> {
  data?: T;
  known: number; // stages behind the data
  error?: Failure;
  loading: boolean; // more is to come
  doing?: string;
  done: number;
  of: number;
}

export interface Staged<T> extends State<T> {
  stop: () => void; // ends the server's work, too; what is known stays
}

const none = { known: 0, loading: false, done: 0, of: 1 };

/**
 * useStages reads a path once; a null path reads nothing. From enough stages on, the rest is not computed. With other
 * parameters of the same path, the answer before stays until all of the new one is known.
 */
export function useStages<T>(path: string | null, enough = Infinity): Staged<T> {
  const base = path?.split("?")[0];
  const [state, setState] = useState<State<T> & { base?: string }>(none);
  const abort = useRef<AbortController | undefined>(undefined);
  useEffect(() => {
    if (path === null) return;
    const mine = (abort.current = new AbortController());
    const tell = (change: (had: State<T>) => Partial<State<T>>) => setState((s) => ((s) => ({ ...s, base, ...change(s) }))(s.base === base ? s : none));
    tell(() => ({ loading: true, error: undefined, done: 0, doing: undefined }));
    const read = async () => {
      const lines = (await answer(path, mine.signal)).body!.pipeThrough(new TextDecoderStream()).getReader();
      let data: T | undefined; // each report has the fields that a stage has changed
      for (let rest = ""; ; ) {
        const { value, done } = await lines.read();
        if (done) return;
        const parts = (rest + value).split("\n");
        rest = parts.pop()!;
        for (const part of parts) {
          const { report, error, remedy, ...how } = parse<Line<T>>(part);
          if (error !== undefined) throw new Failure(0, error, remedy ?? "");
          if (report) data = { ...data, ...report };
          tell((had) => (report && how.done >= had.known ? { ...how, data, known: how.done } : how));
          if (report && how.done >= enough) return mine.abort();
        }
      }
    };
    read()
      .catch((error) => mine.signal.aborted || tell(() => ({ error })))
      .finally(() => abort.current === mine && tell(() => ({ loading: false })));
    return () => {
      abort.current = undefined;
      mine.abort();
    };
  }, [path]);
  const now = state.base === base ? state : { ...none, loading: path !== null };
  return { ...now, stop: () => abort.current?.abort() };
}
