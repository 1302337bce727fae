import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { terms, written } from "../filter";
import { set } from "../router";
import type { Detail } from "../types";

/** Box is a field of a form: a parameter of the address, its label, an example, and what it means. */
export type Box = [name: string, label: string, example: string, help?: string];

type Changes = Record<string, string | string[] | null>;

const textOf = (query: URLSearchParams, name: string) => (name === "q" ? written(query.getAll("q")) : (query.get(name) ?? ""));

/**
 * Ask is a form whose fields are parameters of the address; q is a filter of several terms. The first fields are the
 * wide ones; suggest completes what is typed into them.
 */
export function Ask(props: { boxes: Box[]; query: URLSearchParams; verb: string; wide?: number; suggest?: (typed: string) => ComponentChildren; onAsk?: (changes: Changes) => Changes; children?: ComponentChildren }) {
  const { boxes, query, verb, wide = 1, suggest, children } = props;
  const [typed, type] = useState("");
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    for (const [name] of boxes) (form.current!.elements.namedItem(name) as HTMLInputElement).value = textOf(query, name);
  }, [query.toString()]);
  const ask = (event: Event) => {
    event.preventDefault();
    const data = new FormData(form.current!);
    const changes = boxes.map(([name]): [string, string | string[] | null] => {
      const text = String(data.get(name)).trim();
      return [name, name === "q" ? terms(text) : text || null];
    });
    const asked = Object.fromEntries(changes);
    set(props.onAsk?.(asked) ?? asked, false);
  };
  return (
    <form class="controls" role="search" ref={form} onSubmit={ask}>
      {boxes.map(([name, label, example, help], i) => (
        <label key={name} class={i < wide ? "grow" : ""} title={help}>
          {label}
          <input name={name} list={suggest && i < wide ? "completions" : undefined} onInput={(e) => i < wide && type(e.currentTarget.value)} class={i < wide ? "" : "short"} data-filter={i ? undefined : ""} type="text" enterkeyhint="search" placeholder={example} spellcheck={false} autocomplete="off" />
        </label>
      ))}
      {suggest?.(typed)}
      <button type="submit">{verb}</button>
      {children}
    </form>
  );
}

const listed = 200; // of more iterations, one is typed and not chosen from a list

/** OfIteration chooses an iteration of a run, or all, in a parameter of the address; others that only make sense with it are taken away. */
export function OfIteration({ detail, name, k, all, without = [] }: { detail: Detail; name: string; k: string | null; all: string; without?: string[] }) {
  const none = Object.fromEntries(without.map((other) => [other, null]));
  const choose = { value: k ?? "", onChange: (e: { currentTarget: { value: string } }) => set({ ...none, [name]: e.currentTarget.value || null }, false) };
  const { history } = detail;
  return history.length > listed ? (
    <label>
      of iteration <input type="number" class="short" min={0} max={history.length - 1} placeholder="all" title={`0 to ${history.length - 1}; empty: ${all}`} {...choose} />
    </label>
  ) : (
    <label>
      of{" "}
      <select {...choose}>
        <option value="">{all}</option>
        {history.map((it) => (
          <option key={it.k} value={String(it.k)}>
            iteration {it.k}
          </option>
        ))}
      </select>
    </label>
  );
}
