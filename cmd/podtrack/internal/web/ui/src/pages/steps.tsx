import { Rows, type Column } from "../parts/table";
import { num, plural, short } from "../format";
import { decimals } from "../measure";
import type { Table } from "../parts/ring";
import type { State } from "../types-compare";

type Choice = State["actions"][number] & { place: string };

const columnsOf = (choices: Choice[]): Column<Choice>[] => [
  { key: "action", title: "action", cell: (c) => c.action },
  { key: "q", title: "q", right: true, cell: (c) => num(c.q, decimals(choices.map((x) => x.q))) },
  { key: "reward", title: "reward", right: true, cell: (c) => num(c.reward, decimals(choices.map((x) => x.reward))) },
  { key: "next", title: "next state", right: true, cell: (c) => c.place },
];

/** Steps says what the option does in a state, and where it leads. */
export function Steps(props: { state: number; table: Table; actions: string[]; told?: State; name?: (s: number) => string; onState: (s: number) => void }) {
  const { state, table, told } = props;
  const name = props.name ?? String;
  const choices = told?.actions.map((c) => ({ ...c, place: name(c.next) }));
  const action = props.actions[table.policy[state]!];
  const next = told?.acts ? (told.path[1]?.state ?? told.end) : undefined;
  return (
    <div class="steps" aria-live="polite">
      <p>
        In state <b>{name(state) === String(state) ? state : `${state} (${name(state)})`}</b>, v is {short(table.value[state])} and the option {action ? <b>goes {action}</b> : <b>ends</b>}.{" "}
        <button type="button" disabled={next === undefined} onClick={() => props.onState(next!)} data-step>
          step {next === undefined ? "" : `to ${name(next)}`}
        </button>{" "}
        <button type="button" class="quiet" disabled={!told?.acts || told.end < 0} onClick={() => props.onState(told!.end)}>
          to its end
        </button>
      </p>
      {told && (
        <>
          <Rows label={`actions in state ${state}`} columns={columnsOf(choices!)} rows={choices!} />
          {told.acts && (
            <p class="run-path">
              path: {runs(told, name)} → <b>{told.end < 0 ? "no end" : name(told.end)}</b>
              <br />
              <span class="note">
                {plural(told.length, "step")}
                ; rewards add up to {short(told.reward)}, discounted to {short(told.discounted)} (v is {short(told.value)})
              </span>
            </p>
          )}
        </>
      )}
    </div>
  );
}

/** runs writes moves as podtrack why does: a state, then an action and how often. */
function runs(told: State, name: (s: number) => string): string {
  const parts: string[] = [];
  for (let i = 0; i < told.path.length; ) {
    const { state, action } = told.path[i]!;
    let n = 1;
    while (told.path[i + n]?.action === action) n++;
    parts.push(`${name(state)} ${action}${n > 1 ? ` ×${n}` : ""}`);
    i += n;
  }
  return parts.join(" → ") + (told.length > told.path.length ? " → …" : "");
}
