import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { base, inside } from "./base";

// The address is the state of the page: every view can be shared, and the back
// button goes to what was seen before.

export interface Place {
  path: string;
  query: URLSearchParams;
}

const watchers = new Set<() => void>();

// Each entry of the history has a number of its own, under which it is kept how the reader left it.
const kept = new Map<string, unknown>();
let returned = false; // the reader came by the back or the forward button
if (history.state === null) history.replaceState(fresh(), "");
addEventListener("scroll", () => keep("top", scrollY), { passive: true });

function fresh(): number {
  return Date.now() + Math.random();
}

/** keep remembers a value as long as the page is open, for the entry of the history that is shown. */
export const keep = (name: string, value: unknown) => void kept.set(`${history.state} ${name}`, value);

/** recall gives what was kept when the reader was here before, if the reader has gone back. */
export const recall = <T,>(name: string) => (returned ? (kept.get(`${history.state} ${name}`) as T | undefined) : undefined);

/** useKept is a state that is as it was when the reader comes back. */
export function useKept<T>(name: string, first: T): [T, (next: T) => void] {
  const [value, change] = useState(() => recall<T>(name) ?? first);
  useEffect(() => keep(name, value));
  return [value, change];
}

/** go opens a view of the page. With replace, the view before it is forgotten. */
export function go(url: string, replace = false): void {
  const before = location.pathname;
  if (replace) history.replaceState(history.state, "", base + url);
  else history.pushState(fresh(), "", base + url);
  returned = false;
  if (location.pathname !== before) window.scrollTo(0, 0);
  for (const watch of watchers) watch();
}

/** set changes parameters of the address that is shown; null takes one away. */
export function set(changes: Record<string, string | string[] | null>, replace = true): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    query.delete(name);
    for (const v of value === null ? [] : [value].flat()) query.append(name, v);
  }
  go(address(here().path, query) + location.hash, replace);
}

export function address(path: string, query: URLSearchParams): string {
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

function here(): Place {
  return { path: inside(location.pathname) ?? "/", query: new URLSearchParams(location.search) };
}

const settle = 15000; // milliseconds in which a view may still grow, on a machine with much to do

/**
 * useAnchor shows the part of a view that the address names, once the view is there,
 * and holds it in sight while what is above it grows, unless the reader moves.
 */
export function useAnchor(): void {
  useEffect(() => {
    const id = location.hash.slice(1);
    if (id && !returned) return hold(() => document.getElementById(id)?.scrollIntoView({ behavior: "instant" }));
  }, [location.hash]);
}

/** hold shows a place now and while the view grows, unless the reader moves. */
function hold(show: () => void): () => void {
  const watch = new ResizeObserver(show);
  const stop = () => {
    watch.disconnect();
    clearTimeout(end);
    for (const move of moves) removeEventListener(move, stop);
  };
  const end = setTimeout(stop, settle);
  for (const move of moves) addEventListener(move, stop, { passive: true });
  watch.observe(document.getElementById("main")!);
  return stop;
}

addEventListener("popstate", () => {
  returned = history.state !== null;
  if (!returned) return history.replaceState(fresh(), ""); // a link to another part of the view was followed
  const top = recall<number>("top");
  if (top !== undefined) hold(() => scrollTo({ top, behavior: "instant" }));
});

const moves = ["wheel", "touchstart", "pointerdown", "keydown"];

/** usePlace is the address that is shown. It is watched before the view is painted, so that no click comes too early. */
export function usePlace(): Place {
  const [place, change] = useState(here);
  useLayoutEffect(() => {
    const watch = () => change(here());
    watchers.add(watch);
    addEventListener("popstate", watch);
    return () => {
      watchers.delete(watch);
      removeEventListener("popstate", watch);
    };
  }, []);
  return place;
}

/** followLinks opens the page's own links without loading the page again. */
export function followLinks(): void {
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest?.("a");
    if (!link || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (link.origin !== location.origin || link.target || link.hasAttribute("download")) return;
    if (link.pathname === location.pathname && link.search === location.search && link.hash) return;
    const path = inside(link.pathname);
    if (path === undefined) return;
    event.preventDefault();
    go(path + link.search + link.hash);
  });
}
