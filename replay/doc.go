// Package replay is the engine: it executes the stages of a run over a store.
//
// A run is the infinite sequence of iterations that its spec determines; the store
// holds a verified prefix of it. Running, resuming, forking, replaying and repairing
// therefore execute the same stages and differ only in what happens to a stage's result:
// a recorder stores it; a comparer compares it with the recorded one, or restores a
// record that is lost.
//
// # From a program
//
// [Create] or [Open] a [Store]; [Store.Run] executes a [Job], a spec and a number of iterations, and
// returns the [Run], which reads its steps, factors, purposes, options and measures; [Run.Verify]
// proves it. Environments and stages of one's own are in [Options], apart from those that package pod
// registers. The examples show each; podtrack help go tells the whole. What they use is stable; other
// exported names serve the packages above and may change.
//
// # The path to read
//
//  1. [Engine.Run] executes one run from its recorded state to its target;
//     [Engine.RunAll] executes many at once.
//  2. run_state.go has what the recorded iterations pass on to the next one: the options,
//     the state and the dataset with which it begins. run_state_load.go loads them, with
//     the files load_*.go.
//  3. iteration.go is an iteration in execution, execute.go lists its stages, stages.go
//     implements them: collect → factor → select → learn → measure.
//  4. collect_imported.go replaces the collect stage if iteration 0 has imported data, which
//     package importer reads.
//  5. external_env.go launches environments that run in another process,
//     load_observations.go loads their observations, checkpoint_external.go resumes within
//     an iteration. Package external starts the process.
//  6. recorder.go receives the results; checkpoint.go saves an iteration between two
//     units of work, checkpoint_restore.go continues from there.
//  7. [Verify] replays a run: compare.go compares each stage, executed from its own
//     recorded inputs, with its records, pruned ones by their digests; difference.go finds
//     the first element that differs. verdict.go has the words for it.
//  8. [NewEnv] and memory.go check the memory before anything large is allocated;
//     [NewFitFunc] returns the shapes of records that a spec can produce.
//  9. [Restore] is a replay that writes the records that the store cannot read; [Repair]
//     does so for a repaired store, [Unprune] for pruned records.
//
// # Rules
//
//   - The engine computes nothing itself: package pod does; package schema encodes the
//     records, package tracker stores them.
//   - Between any two units of work it checks its context. If that is cancelled it saves a
//     checkpoint and stops with [ErrInterrupted]. A unit is 65,536 steps (64 in an external
//     environment), one sweep of value iteration, or one option.
//   - Costs, hosts and times are stored beside a run, never in a record.
//
// The packages below this one: report reads a store into the types that tables and JSON
// are made of; group summarises and compares groups of runs, with the statistics of
// package stats; explore measures how runs explore; figure draws; evaluate measures how
// useful options are, which is recorded with an iteration and replayed like it.
package replay
