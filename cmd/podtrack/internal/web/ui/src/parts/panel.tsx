import type { ComponentChildren } from "preact";
import { saveCSV, saveJSON, type Cell } from "../download";
import { Command } from "./copy";
import { Figures, type Figure } from "./figures";

interface Files {
  name: string;
  json?: unknown;
  csv?: { head: string[]; rows: Cell[][] };
}

function Downloads({ files }: { files: Files }) {
  const { name, json, csv } = files;
  return (
    <span class="files">
      <span class="note" aria-hidden="true">
        data
      </span>
      {csv && (
        <button type="button" class="quiet" onClick={() => saveCSV(name, csv.head, csv.rows)} aria-label={`download ${name} as CSV`}>
          CSV
        </button>
      )}
      {json !== undefined && (
        <button type="button" class="quiet" onClick={() => saveJSON(name, json)} aria-label={`download ${name} as JSON`}>
          JSON
        </button>
      )}
    </span>
  );
}

/** Panel is a part of a view with its heading, its command and its data. */
export function Panel(props: {
  id: string;
  title: string;
  aside?: ComponentChildren;
  command?: string;
  files?: Files;
  figure?: Figure;
  children: ComponentChildren;
}) {
  return (
    <section class="panel" id={props.id} aria-labelledby={`${props.id}-title`}>
      <header>
        <h2 id={`${props.id}-title`}>{props.title}</h2>
        {props.aside && <div class="aside">{props.aside}</div>}
        {(props.files || props.figure) && (
          <div class="downloads">
            {props.figure && <Figures figure={props.figure} />}
            {props.files && <Downloads files={props.files} />}
          </div>
        )}
      </header>
      {props.children}
      {props.command && <Command line={props.command} />}
    </section>
  );
}

/** Path leads from the list of runs to a view: names, each with its address. */
export function Path({ to = [] }: { to?: [string, string][] }) {
  return (
    <p class="path">
      <a href="/runs">runs</a> / {to.map(([name, href]) => [<a href={href}>{name}</a>, " / "])}
    </p>
  );
}

/** Parts leads to the parts of a view, and to what else there is of it. */
export function Parts({ of, children }: { of: string[]; children?: ComponentChildren }) {
  return (
    <nav class="parts" aria-label="parts of this page">
      {of.map((part) => (
        <a key={part} href={`#${part}`}>
          {part}
        </a>
      ))}
      {children}
    </nav>
  );
}

/** Facts is a list of names with values. */
export function Facts({ facts, long }: { facts: [string, ComponentChildren][]; long?: boolean }) {
  return (
    <dl class={long ? "facts long" : "facts"}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const symbols: Record<string, string> = { running: "▶", interrupted: "❙❙", complete: "✓", failed: "✕" };

export const Symbol = ({ status }: { status: string }) => <b aria-hidden="true">{symbols[status] ?? "?"}</b>;

export function StatusMark({ status, reason }: { status: string; reason?: string }) {
  return (
    <span class={`status ${status}`} title={reason}>
      <Symbol status={status} /> {status}
      {reason && `: ${reason}`}
    </span>
  );
}
