// Package behaviours has what options do, as sets of states, and the similarity of two options by that: [Similarity]
// is the share of steps from which both do the same. A [Trace] is what of a behaviour decides it; an index of traces
// compares one option with many at once.
package behaviours
