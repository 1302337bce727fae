import { actionColours, useTheme } from "../theme";

/** Legend names the colours of the actions, and that of states where an option ends. */
export function Legend({ actions, note }: { actions: string[]; note?: string }) {
  useTheme(); // the colours depend on it
  const colours = actionColours();
  return (
    <p class="legend">
      {actions.map((action, i) => (
        <span key={action}>
          <i style={{ background: colours[i % colours.length] }} aria-hidden="true" /> {action}
        </span>
      ))}
      <span>
        <i class="rest" aria-hidden="true" /> ends there
      </span>
      {note && <span class="note">{note}</span>}
    </p>
  );
}
