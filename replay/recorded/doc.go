// Package recorded is podtrack's own: it reads back what a run recorded. [Open] returns the [Records] of a run: its
// environment, its iterations, and the way to their steps, factors, purposes and options. The functions
// that load read one thing in a transaction of the caller's. Each checks what it reads against the environment and
// the spec: a digest proves which bytes were recorded, not that they are usable. [NewFitFunc] has the shapes of
// records that a spec can produce.
package recorded
