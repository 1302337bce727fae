import { useEffect, useState } from "preact/hooks";

// What the reader points at in one part of a view is lit in the others: an option,
// as K/J±, and a state.

interface Lit {
  option?: string;
  state?: number;
}

export let lit: Lit = {};
const watchers = new Set<() => void>();

/** light lights what is pointed at; elements with the option in data-option get the class lit. */
export function light(what: Lit): void {
  const mark = (on: boolean) => lit.option && document.querySelectorAll(`[data-option="${lit.option}"]`).forEach((el) => el.classList.toggle("lit", on));
  if (lit.option === what.option && lit.state === what.state) return;
  mark(false);
  lit = what;
  mark(true);
  for (const watch of watchers) watch();
}

/** useLit is what is lit. */
export function useLit(): Lit {
  const [, again] = useState(lit);
  useEffect(() => watchLit(() => again(lit)), []);
  return lit;
}

/** watchLit calls watch whenever something else is lit, until what it returns is called. */
export function watchLit(watch: () => void): () => void {
  watchers.add(watch);
  return () => void watchers.delete(watch);
}
