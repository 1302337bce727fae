import { useEffect, useRef, useState } from "preact/hooks";
import { base } from "./base";
import { parse } from "./request";
import type { Run } from "./types";

// The server's events: that the store has changed, and the rows of running
// runs.

type Watch<T> = (value: T) => void;

/** Link is the state of the connection to the server. */
type Link = "connecting" | "live" | "not connected" | "store locked";

/** Locked is why the store cannot be read: what was seen of it stays meanwhile. */
interface Locked {
  error: string;
  remedy: string;
}

const revisions = new Set<Watch<string>>();
const rows = new Set<Watch<Run>>();
const states = new Set<Watch<Link>>();
let source: EventSource | undefined;
let latest = ""; // revision that was heard of
let revised = ""; // the same, of a change since the page is there
let live: Link = "connecting";
const locks = new Set<Watch<Locked | undefined>>();
let locked: Locked | undefined;

function state(now: Link): void {
  if (live === now) return;
  live = now;
  for (const watch of states) watch(now);
}

function lock(now?: Locked): void {
  locked = now?.error ? now : undefined;
  for (const watch of locks) watch(locked);
  state(locked ? "store locked" : "live");
}

function revise(event: MessageEvent): void {
  const { revision } = parse<{ revision: string }>(event.data);
  if (revision === latest) return;
  const first = latest === "";
  latest = revision;
  if (first) return; // what is shown was read at this revision or will be read at a later one
  revised = revision;
  for (const watch of revisions) watch(revision);
}

/**
 * listen listens while the page is seen. A browser keeps few connections to one
 * server, and pages in the background would hold them all.
 */
export function listen(): void {
  const follow = () => (document.visibilityState === "visible" ? connect() : leave());
  document.addEventListener("visibilitychange", follow);
  addEventListener("pageshow", follow);
  addEventListener("pagehide", leave);
  follow();
}

function leave(): void {
  source?.close();
  source = undefined;
}

/** connect opens the stream, which opens itself again when it breaks. */
function connect(): void {
  if (source) return;
  source = new EventSource(`${base}/api/events`);
  source.addEventListener("open", () => lock());
  source.addEventListener("locked", (event) => lock(parse(event.data)));
  source.addEventListener("error", () => state("not connected"));
  source.addEventListener("revision", revise);
  source.addEventListener("run", (event) => {
    const run = parse<Run>((event as MessageEvent).data);
    for (const watch of rows) watch(run);
  });
}

/** seen says of which revision an answer was, so that no change before the first event is missed. */
export function seen(revision: string): void {
  if (latest === "") latest = revision;
}

function useWatch<T>(set: Set<Watch<T>>, watch: Watch<T>): void {
  const now = useRef(watch);
  now.current = watch;
  useEffect(() => {
    const call: Watch<T> = (value) => now.current(value);
    set.add(call);
    return () => void set.delete(call);
  }, []);
}

/** useNow is a value that changes, also before the component listens. */
function useNow<T>(set: Set<Watch<T>>, now: () => T): T {
  const [value, change] = useState(now);
  useWatch(set, change);
  useEffect(() => change(now), []);
  return value;
}

/** useRevision changes whenever the store does. */
export const useRevision = () => useNow(revisions, () => revised);

export const useLive = () => useNow(states, () => live);

export const useLocked = () => useNow(locks, () => locked);

export const useRunRows = (watch: Watch<Run>) => useWatch(rows, watch);
