// Package stages is podtrack's own: it executes an iteration, collect → factor → select → learn → measure.
//
// A [State] is what earlier iterations pass on to the next one: options, the state in which it begins, the dataset.
// An [Iteration] is one in execution. [Iteration.Execute] goes through its stages, from the beginning or from a
// checkpoint, and gives each result to a [Sink]. Running and verifying differ in nothing else: package replay has a
// sink that records, and one that compares with what is recorded, or restores a record that is lost.
//
//   - Nothing is computed here: package pod does; package schema encodes the records.
//   - Between any two units of work an iteration checks its context. If that is cancelled it saves a checkpoint and
//     stops with [ErrInterrupted]. A unit is 65,536 steps (64 in an external environment), one sweep of value
//     iteration, or one option.
//   - An environment in another process is started when the first step is taken. A checkpoint within an iteration
//     repeats its actions, and every observation on the way proves that it is in the same state.
//   - [LevelsAt] says how much a head proves of each stage.
package stages
