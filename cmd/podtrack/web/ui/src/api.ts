import { useEffect, useRef, useState } from "preact/hooks";
import { useRevision } from "./events";
import { Reader, type Read, type Told } from "./reader";

export { answer, Failure, json } from "./request";

export interface Answer<T> extends Told<T> {
  loading: boolean;
}

/** heavyPause is that of what takes seconds of a processor: a run at work changes it every second. */
export const heavyPause = 3000;

const parsed = (response: Response) => response.json();

/**
 * useAnswer reads a path, and again when the store changes, but not sooner than
 * pause milliseconds after it did so last. What was read before stays until there
 * is another answer. A null path reads nothing. It is read again, too, when other is
 * another value.
 */
export function useAnswer<T>(path: string | null, read: Read<T> = parsed, pause = 0, other: unknown = ""): Answer<T> {
  const revision = `${useRevision()} ${other}`;
  const known = useRef(revision);
  const reader = useRef<Reader<T> | undefined>(undefined);
  const [state, setState] = useState<Told<T> & { path: string | null }>({ path: null });
  useEffect(() => {
    if (path === null) return;
    const made = new Reader(path, read, pause, (told) => setState({ path, ...told }));
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
export function useSteady<T>(path: string | null, read?: Read<T>, pause?: number, other?: unknown): Answer<T> {
  const now = useAnswer(path, read, pause, other);
  const last = useRef<T | undefined>(undefined);
  if (now.data !== undefined) last.current = now.data;
  return { ...now, data: now.data ?? (now.error ? undefined : last.current) };
}
