import { useState } from "preact/hooks";

const most = 200; // rows or columns

/** some are the places of up to 200 of so many things, evenly. */
export const some = (count: number) => Array.from({ length: Math.min(count, most) }, (_, i) => Math.floor((i * count) / Math.min(count, most)));

/** Numbers is the table behind a picture, for screen readers; of many rows it shows some, evenly spaced. */
export function Numbers({ of, told, count }: { of: string; told: (i: number) => string[]; count: number }) {
  const [open, show] = useState(false);
  return (
    <details class="numbers" onToggle={(e) => show(e.currentTarget.open)}>
      <summary>numbers</summary>
      {open && (
        <div class="scroll" tabIndex={0}>
          <table aria-label={of}>
            <tbody>
              {some(count).map((i) => (
                <tr key={i}>
                  {told(i).map((text, n) => (
                    <td key={n}>{text}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
