import type { ComponentChildren } from "preact";
import type { Cell } from "../download";

export interface Column<R> {
  key: string;
  title: string;
  head?: ComponentChildren; // in place of the title
  help?: string; // what the column means, on hovering
  right?: boolean;
  width?: number; // in characters, of tables that draw only what is seen
  sort?: (row: R) => number | string | null; // null goes below all
  cell: (row: R) => ComponentChildren;
  value?: (row: R) => Cell; // in CSV; sort's where there is none
}

export interface TableProps<R> {
  label: string;
  columns: Column<R>[];
  count: number;
  at: (i: number) => R | undefined; // undefined: not read yet
  heading?: (i: number) => ComponentChildren | null; // a row that stands for a group
  sort?: string; // a column's key, with a minus before it downwards
  onSort?: (key: string) => void;
  onOpen?: (row: R, i: number) => void;
  onToggle?: (row: R) => void;
  selected?: (row: R) => boolean;
  onSeen?: (from: number, to: number) => void;
  whole?: boolean; // draw all rows, each column as wide as it needs
  fill?: boolean; // as wide as there is room
  focus?: boolean; // the keys are for its rows as soon as they are there
}
