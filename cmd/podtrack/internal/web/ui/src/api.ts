import { useEffect, useRef, useState } from "preact/hooks";
import { useRevision } from "./events";
import { Reader, type Read, type Told } from "./reader";
import { parsed } from "./request";

export { answer, Failure, json, parse, parsed } from "./request";

export interface Answer<T> extends Told<T> {
  loading: boolean;
}

const pause = 2000; // milliseconds: a run at work changes the store every second

/** heavyPause is that of what takes seconds of a processor. */
export const heavyPause = 3000;

/**
 * useAnswer reads a path, and again when the store changes or, if it is given, when on
 * is another value, but not sooner than some milliseconds after it did so last. What
 * was read before stays until there is another answer. A null path reads nothing.
 */
export function useAnswer<T>(path: string | null, read: Read<T> = parsed<T>, wait = pause, on?: unknown): Answer<T> {
  const changed = useRevision();
  const revision = on === undefined ? changed : on;
  const known = useRef(revision);
  const reader = useRef<Reader<T> | undefined>(undefined);
  const [state, setState] = useState<Told<T> & { path: string | null }>({ path: null });
  useEffect(() => {
    if (path === null) return;
    const made = new Reader(path, read, wait, (told) => setState({ path, ...told }));
    reader.current = made;
    made.begin();
    return () => made.stop();
  }, [path]);
  useEffect(() => {
    if (known.current === revision) return;
    known.current = revision;
    if (path !== null) reader.current?.ask();
  }, [revision]);
  const told: Told<T> = state.path === path ? state : {};
  return { data: told.data, error: told.error, loading: path !== null && told.data === undefined && told.error === undefined };
}

/** useSteady is useAnswer that shows the answer to the path before while it reads. */
export function useSteady<T>(path: string | null, read?: Read<T>, wait?: number, on?: unknown): Answer<T> {
  const now = useAnswer(path, read, wait, on);
  const last = useRef<T | undefined>(undefined);
  if (now.data !== undefined) last.current = now.data;
  return { ...now, data: now.data ?? (now.error ? undefined : last.current) };
}
