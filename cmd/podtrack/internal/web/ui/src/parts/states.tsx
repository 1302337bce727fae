import type { ComponentChildren } from "preact";
import type { Answer, Failure } from "../api";

// What stands where there is nothing to show yet, or at all: each says what to do
// next.

export function Loading({ what }: { what: string }) {
  return (
    <p class="note loading" role="status">
      Reading {what}…
    </p>
  );
}

export function Failed({ error }: { error: Failure }) {
  const Line = error.status === 404 ? "h1" : "p"; // there is no view, whose heading it would be
  return (
    <div class="fault" role="alert">
      <Line>
        <strong>podtrack:</strong> {error.message}
      </Line>
      {error.remedy && <p class="remedy">{error.remedy}</p>}
      {error.status === 404 && (
        <p class="remedy">
          <a href="/runs">All runs</a>
        </p>
      )}
    </div>
  );
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}

/** Shown draws an answer, or why there is none. */
export function Shown<T>(props: { answer: Answer<T>; what: string; children: (data: T) => ComponentChildren }) {
  const { answer, what, children } = props;
  if (answer.error) return <Failed error={answer.error} />;
  if (answer.data === undefined) return answer.loading ? <Loading what={what} /> : null;
  return <>{children(answer.data)}</>;
}
