// Package recorded is podtrack's own: it reads back the records of runs. [Open] returns the [Records] of a run: its
// environment and iterations, and methods that read their steps, factors, purposes and options. Functions named Load…
// read one thing in the caller's transaction. Each checks what it reads against the environment and the spec: a digest
// proves which bytes were recorded, not that they are usable. [NewFitFunc] rejects records whose shape a spec cannot
// produce.
package recorded
