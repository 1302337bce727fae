import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { keep, recall } from "../router";
import type { Column, TableProps } from "./columns";

const rowHeight = 32; // pixels; style/table.css has the same
const margin = 10; // rows drawn beyond what is seen
const onPaper = 60; // rows drawn for a printer, from the first that is drawn

/** tellCut gives a cell that is cut short, which ends with an ellipsis, its whole text as title. */
function tellCut(e: Event) {
  const cell = (e.target as Element).closest("td");
  if (cell && cell.scrollWidth > cell.clientWidth) cell.title ||= cell.textContent ?? "";
}

/** Table is a table by keyboard: arrows move, Enter opens, Space selects. */
export function Table<R>(props: TableProps<R>) {
  const { columns, count, whole } = props;
  const box = useRef<HTMLDivElement>(null);
  const [seen, see] = useState<[number, number]>([0, 40]);
  const place = `table ${props.label}`;
  const [was] = useState(() => recall<{ top: number; active: number }>(place));
  const [active, activate] = useState(was?.active ?? 0);
  const moved = useRef<boolean | "back">(was ? "back" : !!props.focus);

  const look = () => {
    const el = box.current;
    if (!el || whole) return;
    const from = Math.max(0, Math.floor(el.scrollTop / rowHeight) - margin);
    const to = Math.min(count, Math.ceil((el.scrollTop + el.clientHeight) / rowHeight) + margin);
    see((s) => (s[0] === from && s[1] === to ? s : [from, to]));
  };
  useLayoutEffect(look, [count, whole]);
  useLayoutEffect(() => {
    if (was) box.current!.scrollTop = was.top;
  }, []);
  useEffect(() => {
    const more = () => see(([from, to]) => [from, Math.min(count, Math.max(to, from + onPaper))]);
    addEventListener("resize", look);
    addEventListener("beforeprint", more);
    addEventListener("afterprint", look);
    return () => {
      removeEventListener("resize", look);
      removeEventListener("beforeprint", more);
      removeEventListener("afterprint", look);
    };
  }, [count]);

  const from = whole ? 0 : Math.min(seen[0], count);
  const to = whole ? count : Math.min(Math.max(seen[1], from), count);
  useEffect(() => props.onSeen?.(from, to));

  useLayoutEffect(() => {
    if (!moved.current) return;
    const row = box.current?.querySelector<HTMLElement>(`[data-row="${active}"]`);
    if (row) {
      row.focus({ preventScroll: !whole || moved.current === "back" });
      moved.current = false;
    }
  });

  const move = (to: number) => {
    const next = Math.max(0, Math.min(count - 1, to));
    moved.current = true;
    activate(next);
    const el = box.current;
    if (!el || whole) return;
    const top = next * rowHeight;
    const room = el.clientHeight - rowHeight * 2; // less the heading
    if (top < el.scrollTop) el.scrollTop = top;
    else if (top > el.scrollTop + room) el.scrollTop = top - room;
    look();
  };

  const press = (event: TargetedKeyboardEvent<HTMLTableSectionElement>) => {
    const at = Number((event.target as HTMLElement).closest<HTMLElement>("[data-row]")?.dataset.row ?? active);
    const onRow = (event.target as HTMLElement).dataset.row !== undefined;
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 320) / rowHeight) - 2);
    const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: count - 1 };
    const row = props.at(at);
    if (event.key in steps) move(steps[event.key]!);
    else if (event.key === "Enter" && onRow && row) open(row, at);
    else if (event.key === " " && onRow && row && props.onToggle) props.onToggle(row);
    else return;
    event.preventDefault();
  };

  const open = (row: R, i: number) => {
    keep(place, { top: box.current!.scrollTop, active: i });
    props.onOpen?.(row, i);
  };

  const click = (event: MouseEvent, row: R | undefined, i: number) => {
    activate(i);
    keep(place, { top: box.current!.scrollTop, active: i });
    if (!row || (event.target as Element).closest("a, button, input, label")) return;
    if (getSelection()?.toString()) return; // the reader is selecting text
    open(row, i);
  };

  const rows = [];
  for (let i = from; i < to; i++) {
    const row = props.at(i);
    const heading = props.heading?.(i);
    rows.push(
      <tr
        key={i}
        data-row={i}
        tabIndex={i === Math.min(active, count - 1) || (i === from && (active < from || active >= to)) ? 0 : -1}
        aria-rowindex={i + 2}
        aria-selected={row && props.selected ? props.selected(row) : undefined}
        class={heading ? "group" : props.onOpen ? "opens" : ""}
        onClick={(e) => click(e, row, i)}
      >
        {heading ? (
          <td colSpan={columns.length}>{heading}</td>
        ) : (
          columns.map((c) => (
            <td key={c.key} class={classOf(c)}>
              {row ? c.cell(row) : <span class="wait" />}
            </td>
          ))
        )}
      </tr>,
    );
  }

  return (
    <div class={whole ? "scroll" : props.fill ? "scroll fixed fill" : "scroll fixed"} ref={box} onScroll={look}>
      <table class={whole && props.wraps ? "wraps" : ""} role={props.onOpen ? "grid" : undefined} aria-label={props.label} aria-rowcount={count + 1} data-rows={count} style={whole ? undefined : { [props.fill ? "minWidth" : "width"]: `${width(columns)}ch` }}>
        {!whole && (
          <colgroup>
            {columns.map((c) => (
              <col key={c.key} style={{ width: `${c.width ?? 10}ch` }} />
            ))}
          </colgroup>
        )}
        <Head {...props} />
        <tbody onKeyDown={press} onPointerOver={tellCut}>
          {from > 0 && <tr aria-hidden="true" style={{ height: `${from * rowHeight}px` }} />}
          {rows}
          {to < count && <tr aria-hidden="true" style={{ height: `${(count - to) * rowHeight}px` }} />}
        </tbody>
      </table>
    </div>
  );
}

const classOf = <R,>(c: Column<R>) => [c.right && "right", c.wide && "wide"].filter(Boolean).join(" ");

const width = <R,>(columns: Column<R>[]) => columns.reduce((sum, c) => sum + (c.width ?? 10), 0);

function Head<R>({ columns, sort, onSort }: TableProps<R>) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map((c) => {
          const up = sort === c.key;
          const down = sort === `-${c.key}`;
          const order = up ? "ascending" : down ? "descending" : "none";
          return (
            <th key={c.key} scope="col" class={classOf(c)} title={c.help} aria-sort={onSort && c.sort ? order : undefined}>
              {onSort && c.sort ? (
                <button type="button" onClick={() => onSort(up ? `-${c.key}` : c.key)}>
                  {c.title}
                  <span class="order" aria-hidden="true">
                    {up ? "▲" : down ? "▼" : ""}
                  </span>
                </button>
              ) : (
                (c.title || <span class="hidden">{c.help}</span>)
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
