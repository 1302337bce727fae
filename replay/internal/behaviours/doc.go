// Package behaviours describes what options do, as sets of states, and how similar two options are: [Similarity] is the
// share of steps from which both do the same. A [Trace] is the part of a behaviour that decides it; an index of traces
// compares one option with many at once.
package behaviours
