import { useEffect, useRef } from "preact/hooks";
import { phrase, terms } from "../filter";
import { whole } from "../format";
import { set } from "../router";
import type { Field } from "../types";

/** Controls are the filter, the field to group by, and which columns there are. */
export function Controls({ q, group, all, fields }: { q: string[]; group: string | null; all: boolean; fields: Field[] }) {
  const box = useRef<HTMLInputElement>(null);
  const text = phrase(q);
  useEffect(() => {
    if (box.current && document.activeElement !== box.current) box.current.value = text;
  }, [text]);
  const ask = (event: Event) => {
    event.preventDefault();
    set({ q: terms(box.current!.value) }, false);
  };
  return (
    <form class="controls" role="search" onSubmit={ask}>
      <label class="grow">
        filter
        <input ref={box} data-filter type="text" enterkeyhint="search" defaultValue={text} placeholder="seed=0-29 reading=as-published tag=x" spellcheck={false} autocomplete="off" />
      </label>
      <button type="submit">find</button>
      <label>
        group by
        <select value={group ?? ""} onChange={(e) => set({ group: e.currentTarget.value || null }, false)}>
          <option value="">nothing</option>
          {fields.map((f) => (
            <option key={f.field} value={f.field}>
              {f.field} ({whole(f.values.length + (f.more ?? 0))})
            </option>
          ))}
        </select>
      </label>
      <label class="check">
        <input type="checkbox" checked={all} onChange={(e) => set({ columns: e.currentTarget.checked ? "all" : null })} />
        all columns
      </label>
    </form>
  );
}

/** More says that not all groups are there. */
export function More({ field }: { field: Field | undefined }) {
  if (!field?.more) return null;
  return (
    <span class="note">
      the first {field.values.length} of {whole(field.values.length + field.more)} values of {field.field}; a filter such as {field.field}={field.values.at(-1)!.value} finds others
    </span>
  );
}
