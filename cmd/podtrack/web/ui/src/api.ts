import { useEffect, useRef, useState } from "preact/hooks";
import { useRevision } from "./events";

/** Failure is an answer that is none: what failed, and how to mend it. */
export class Failure extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly remedy: string,
  ) {
    super(message);
  }
}

async function answer(path: string, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { signal });
  } catch (e) {
    if (signal?.aborted) throw e;
    throw new Failure(0, "the server does not answer", "start podtrack serve again and open the address that it prints");
  }
  if (response.ok) return response;
  const told = await response.json().catch(() => ({}));
  throw new Failure(response.status, told.error ?? `the server answered ${response.status}`, told.remedy ?? "");
}

export async function json<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await answer(path, signal)).json();
}

export async function bytes(path: string, signal?: AbortSignal): Promise<ArrayBuffer> {
  return (await answer(path, signal)).arrayBuffer();
}

export interface Answer<T> {
  data?: T;
  error?: Failure;
  loading: boolean;
}

type Read<T> = (path: string, signal: AbortSignal) => Promise<T>;

/**
 * useAnswer reads a path, and again when the store changes. What was read before
 * stays until the new answer is there. A null path reads nothing.
 */
export function useAnswer<T>(path: string | null, read: Read<T> = json): Answer<T> {
  const revision = useRevision();
  const [state, setState] = useState<Answer<T> & { path: string | null }>({ path: null, loading: true });
  const reader = useRef(read);
  useEffect(() => {
    if (path === null) return;
    const abort = new AbortController();
    setState((s) => ({ ...(s.path === path ? s : {}), path, loading: true }));
    reader
      .current(path, abort.signal)
      .then((data) => setState({ path, data, loading: false }))
      .catch((error) => abort.signal.aborted || setState({ path, error, loading: false }));
    return () => abort.abort();
  }, [path, revision]);
  return state.path === path ? state : { loading: path !== null };
}

/** useSteady is useAnswer that shows the answer to the path before while it reads. */
export function useSteady<T>(path: string | null, read: Read<T> = json): Answer<T> {
  const now = useAnswer(path, read);
  const last = useRef<T | undefined>(undefined);
  if (now.data !== undefined) last.current = now.data;
  return { ...now, data: now.data ?? (now.error ? undefined : last.current) };
}
