import type { Staged } from "../stages";
import { Failed } from "./states";

/** Stage says how far an answer in stages is, and ends it. */
export function Stage({ of, what, enough = of.of }: { of: Staged<unknown>; what: string; enough?: number }) {
  if (of.error) return <Failed error={of.error} />;
  if (!of.loading) return of.done < enough ? <p class="note">Stopped. Open it again for the rest.</p> : null;
  return (
    <p class="note toolbar" role="status">
      <progress value={of.done} max={enough} aria-label={what} /> {what}: {of.doing ?? "reading"}…
      <button type="button" class="quiet" onClick={of.stop}>
        stop
      </button>
    </p>
  );
}
