// Package stages is podtrack's own: it executes an iteration, collect → factor → select → learn → measure.
//
// A [State] is what earlier iterations pass on to the next one: options, the state in which it begins, the dataset. An
// [Iteration] is an iteration in execution. [Iteration.Execute] executes its stages, from the beginning or from a
// checkpoint, and gives each result to a [Sink]. Running and verifying differ only in the sink: package replay has one
// that records, and one that compares results with the records or restores lost ones.
//
//   - This package computes nothing: package pod computes, and package schema encodes the records.
//   - Between any two units of work an iteration checks its context. If that is cancelled it saves a checkpoint and
//     stops with [ErrInterrupted]. A unit is 65,536 steps (64 in an external environment), one sweep of value
//     iteration, or one option.
//   - An environment in another process is started when the first step is taken. Restoring a checkpoint repeats the
//     iteration's actions in it, and compares every observation: equal ones prove that it is in the same state.
//   - [LevelsAt] says how far a head proves each stage.
package stages
