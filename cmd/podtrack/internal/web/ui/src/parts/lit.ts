// The option, as K/J±, that the reader points at in one part of a view is lit in the others.

export let lit: string | undefined;
const watchers = new Set<() => void>();

/** light lights an option, or none; elements with it in data-option get the class lit. */
export function light(option?: string): void {
  const mark = (on: boolean) => lit && document.querySelectorAll(`[data-option="${lit}"]`).forEach((el) => el.classList.toggle("lit", on));
  if (lit === option) return;
  mark(false);
  lit = option;
  mark(true);
  for (const watch of watchers) watch();
}

/** watchLit calls watch whenever something else is lit, until what it returns is called. */
export function watchLit(watch: () => void): () => void {
  watchers.add(watch);
  return () => void watchers.delete(watch);
}
