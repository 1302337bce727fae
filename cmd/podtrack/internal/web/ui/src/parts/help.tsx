import type { ComponentChildren, RefObject } from "preact";
import { Command } from "./copy";

type Opened = RefObject<HTMLDialogElement | null>;

const keys: [string, string][] = [
  ["/", "go to the search; Enter goes on to what it finds"],
  ["↑ ↓ Page Home End", "move in a table"],
  ["Enter", "open what is marked"],
  ["← →", "read the numbers of a chart, once it has the focus"],
  ["s", "share the view: its address and its command"],
  ["Space", "select a run, to compare it"],
  ["Esc", "leave a field, close this"],
  ["g", "the glossary: every word and column"],
  ["?", "this help"],
];

const filters: [string, string][] = [
  ["seed=0-29", "a range of numbers"],
  ["reading=as-published,as-written", "one or the other"],
  ["name=p3-*", "a pattern: * is any text, ? any character"],
  ["tag=x status=running", "both of them"],
  ["parent=", "no forks"],
  ["created=2026-11-26 age<7d", "a day in UTC; the last 7 days"],
  ['note="a, b" tag==x,y', "a value as it is; these tags alone"],
  ["pilot about~pilot", "a part of a name, a note or a tag"],
];

export function Help({ dialog }: { dialog: Opened }) {
  return (
    <Dialog dialog={dialog} title="Keys">
      <Pairs pairs={keys} />
      <h2>Filters, as on the command line</h2>
      <Pairs pairs={filters} />
    </Dialog>
  );
}

/** Share has the address of the view, and the first of the commands that print what it shows. */
export function Share({ dialog, command }: { dialog: Opened; command: string | undefined }) {
  return (
    <Dialog dialog={dialog} title="Share this view">
      <p>Its address, for those who reach this server:</p>
      <Command line={location.href} kind="address" />
      {command && <p>The command that prints the same, for those who have the store:</p>}
      {command && <Command line={command} />}
    </Dialog>
  );
}

function Dialog({ dialog, title, children }: { dialog: Opened; title: string; children: ComponentChildren }) {
  const outside = (event: MouseEvent) => event.target === dialog.current && dialog.current?.close();
  return (
    <dialog ref={dialog} class="help" aria-label={title} onClick={outside}>
      <div>
        <h2>{title}</h2>
        {children}
        <form method="dialog">
          <button type="submit">close</button>
        </form>
      </div>
    </dialog>
  );
}

function Pairs({ pairs }: { pairs: [string, string][] }) {
  return (
    <dl class="pairs">
      {pairs.map(([key, what]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  );
}
