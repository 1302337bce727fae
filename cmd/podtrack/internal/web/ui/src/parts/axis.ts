import { num } from "../format";

// The axis of states along a line, as figures have it: a ring is cut opposite its
// coordinate 0, so that its states have negative numbers, too.

export interface Axis {
  label: string;
  first: number; // what the leftmost state is called; others count on from it
}

export interface Range {
  from: number;
  to: number; // included
}

/** placeOf is where a state of n lies on the axis, stateAt is the state at a place. */
export const placeOf = (axis: Axis, n: number, state: number) => (state >= n + axis.first ? state - n : state);
export const stateAt = (n: number, place: number) => (place + n) % n;

/** named is how a state is called: by its place, and its number if that is another. */
export function named(axis: Axis, n: number): (state: number) => string {
  return (s) => num(placeOf(axis, n, s));
}

/** window reads LOW:HIGH of the address, as podtrack plot option --states takes it; what is wrong is left out. */
export function readRange(text: string | null, all: Range, standard: Range): Range {
  if (text === "all") return all;
  const found = /^(-?\d+):(-?\d+)$/.exec(text ?? "");
  if (!found) return standard;
  const from = Math.max(all.from, Number(found[1]));
  const to = Math.min(all.to, Number(found[2]));
  return from < to ? { from, to } : standard;
}

export const rangeText = ({ from, to }: Range) => `${from}:${to}`;
