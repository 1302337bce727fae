import type { RefObject } from "preact";

const keys: [string, string][] = [
  ["/", "go to the filter"],
  ["↑ ↓ Page Home End", "move in a table or heatmap"],
  ["Enter", "open what is marked"],
  ["Space", "select a run; two can be compared"],
  ["drag, double-click", "zoom into a chart, and see all of it again"],
  ["← → + − 0 , .", "move and zoom the walk, or mark the next step, once it has the focus"],
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
];

export function Help({ dialog }: { dialog: RefObject<HTMLDialogElement | null> }) {
  const outside = (event: MouseEvent) => event.target === dialog.current && dialog.current?.close();
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClick={outside}>
      <div>
        <h2 id="help-title">Keys</h2>
        <Pairs pairs={keys} />
        <h2>Filters, as on the command line</h2>
        <Pairs pairs={filters} />
        <p class="note">Every view has its address; copy it to share what you see. Each panel has the command that prints the same.</p>
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
