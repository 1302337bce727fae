import { useEffect, useRef, useState } from "preact/hooks";
import { search, term, terms, written } from "../filter";
import { whole } from "../format";
import { ownOf, recorded, titleOf } from "../measure";
import { optionAt } from "../links";
import { go, set } from "../router";
import type { Field, Run } from "../types";
import { choices } from "./fields";

/** Completions are what a field with the list "completions" suggests for what is typed. */
export const Completions = ({ typed, fields, runs = [] }: { typed: string; fields: Field[]; runs?: Run[] }) => (
  <datalist id="completions">
    {complete(typed, fields, runs).map((c) => (
      <option key={c} value={c} />
    ))}
  </datalist>
);

const states = ["complete", "running", "interrupted", "failed"];

/** Controls are the filter, the field to group by, and which columns there are. */
export function Controls(props: { q: string[]; group: string | null; columns: string[]; fields: Field[]; runs: Run[]; onFind: () => void }) {
  const { q, group, columns, fields } = props;
  const box = useRef<HTMLInputElement>(null);
  const text = written(q.map((word) => word.replace(/^about~/, "")));
  const [typed, type] = useState(text);
  useEffect(() => {
    if (box.current && document.activeElement !== box.current) box.current.value = text;
  }, [text]);
  const ask = (event: Event) => {
    event.preventDefault();
    const option = optionAt(box.current!.value.trim());
    if (option) return go(option);
    set({ q: terms(box.current!.value).map(search) }, false);
    props.onFind();
  };
  return (
    <form class="controls" role="search" onSubmit={ask}>
      <label class="grow">
        search
        <input
          ref={box}
          data-filter
          type="text"
          list="completions"
          enterkeyhint="search"
          defaultValue={text}
          placeholder="part of a name or tag, seed=0-29, RUN:#3"
          spellcheck={false}
          autocomplete="off"
          onInput={(e) => type(e.currentTarget.value)}
        />
      </label>
      <Completions typed={typed} fields={fields} runs={props.runs} />
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
      <Picker all={choices(fields, ownOf(props.runs))} shown={columns} />
    </form>
  );
}

/** complete gives what is typed with its last word completed: a field, or one of its values. */
function complete(typed: string, fields: Field[], runs: Run[]): string[] {
  const [, before, word] = /^(.*?)(\S*)$/.exec(typed)!;
  const [field, value] = word!.split("=");
  const values: Record<string, string[]> = { status: states, name: runs.map((r) => r.name) };
  const known = values[field!] ?? fields.find((f) => f.field === field)?.values.map((v) => v.value) ?? [];
  const words = value === undefined ? [...fields.map((f) => f.field), ...Object.keys(values), "note"].map((f) => `${f}=`).concat([...recorded, ...ownOf(runs)].map((m) => `${m}>`)) : known.filter(Boolean).map((v) => term(field!, v));
  return [...new Set(words)].filter((w) => w.startsWith(word!)).slice(0, 50).map((w) => before + w);
}

/** Picker chooses the columns, which stand in the address. */
function Picker({ all, shown }: { all: string[]; shown: string[] }) {
  const pick = (columns: string[] | null) => set({ columns: columns && columns.join(",") });
  return (
    <details class="picker">
      <summary>columns</summary>
      <div>
        {all.map((name) => (
          <label key={name}>
            <input type="checkbox" checked={shown.includes(name)} onChange={() => pick(all.filter((c) => shown.includes(c) !== (c === name)))} />
            {recorded.includes(name) ? titleOf(name) : name}
          </label>
        ))}
        <button type="button" class="quiet" onClick={() => pick(["all"])}>
          all
        </button>
        <button type="button" class="quiet" onClick={() => pick(null)}>
          the usual
        </button>
      </div>
    </details>
  );
}

/** More says that not all groups are there. */
export function More({ field }: { field: Field | undefined }) {
  if (!field?.more) return null;
  return (
    <span class="note">
      the first {field.values.length} of {whole(field.values.length + field.more)} values of {field.field}; a filter such as {field.values.at(-1)!.term} finds others
    </span>
  );
}
