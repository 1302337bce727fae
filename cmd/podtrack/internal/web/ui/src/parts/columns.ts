import type { ComponentChildren } from "preact";
import type { Cell } from "../download";

export interface Column<R> {
  key: string;
  title: string;
  help?: string; // what the column means, on hovering
  right?: boolean;
  wide?: boolean; // left out where there is little room, of tables that are whole
  width?: number; // in characters, of tables that draw only what is seen
  sort?: (row: R) => number | string | null; // null goes below all
  cell: (row: R) => ComponentChildren;
  value?: (row: R) => Cell; // in CSV; sort's where there is none
}

/** numeric is a column of numbers, as wide as its title needs; show may say more of a row than the number. */
export function numeric<R>(key: string, title: string, sort: (row: R) => number | null, show: (x: number | null, row: R) => ComponentChildren, help?: string, width = Math.max(10, title.length + 6)): Column<R> {
  return { key, title, help, right: true, width, sort, cell: (row) => show(sort(row), row) };
}

export interface TableProps<R> {
  label: string;
  columns: Column<R>[];
  count: number;
  at: (i: number) => R | undefined; // undefined: not read yet
  heading?: (i: number) => ComponentChildren; // of a row that stands for a group
  sort?: string; // a column's key, with a minus before it downwards
  onSort?: (key: string) => void;
  onOpen?: (row: R, i: number) => void;
  onToggle?: (row: R) => void;
  selected?: (row: R) => boolean;
  onSeen?: (from: number, to: number) => void;
  whole?: boolean; // draw all rows, each column as wide as it needs
  wraps?: boolean; // of a whole table: cells take the lines that they need
  fill?: boolean; // as wide as there is room
  focus?: boolean; // the keys are for its rows as soon as they are there
}
