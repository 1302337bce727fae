// Package replay is the engine: it walks the stages of a run over a store.
//
// A run is the infinite sequence of iterations that its spec determines; the
// store holds a verified prefix of it. So running, resuming, forking, replaying
// and repairing are one walk over the same stages. They differ in what becomes of a
// stage's result: a recorder keeps it, a comparer holds it against the recorded one,
// or puts it back where that is gone.
//
// # The path to read
//
//  1. [Engine.Run] takes one run from what the store holds to its target;
//     [Engine.RunAll] does so for many at once.
//  2. prefix.go loads the recorded iterations: the options, the state and the
//     dataset with which the next one begins.
//  3. iteration.go is the list of stages, stages.go each of them: collect →
//     factor → select → learn → measure.
//  4. data.go is what stands in for collecting where iteration 0 is given data that
//     were recorded elsewhere. Package importer, below this one, reads them.
//  5. outside.go is about environments that another process runs, observations.go about
//     what is known of them, repeat.go about going on within an iteration. Package
//     external, below this one, starts the process.
//  6. keeper.go says what becomes of the work, checkpoint.go how it is saved in
//     the middle of a stage.
//  7. [Verify] replays a run: compare.go holds each stage, executed from its own
//     recorded inputs, against its records; difference.go names the first element
//     that differs. pruned.go is about records that were dropped on purpose: they
//     are proved by their digests.
//  8. [NewEnv] and memory.go ask for memory before anything large is made; [NewFitFunc] says which
//     shapes of records a spec makes.
//  9. [Restore] is a replay that hands on what the store cannot give; [Repair] does
//     so for a rescued store, [Unprune] for what was pruned.
//
// # Rules
//
//   - The engine computes nothing itself: package pod does, package schema gives
//     the bytes, package tracker keeps them.
//   - Between any two units of work (65,536 steps, or 64 where another process makes them, a sweep, an option) it looks
//     at its context. When that is done it saves a checkpoint and stops with
//     [ErrInterrupted].
//   - Costs, hosts and times are written beside a run, never into a record.
//
// Package report, below this one, reads a store into the one set of types that
// tables and JSON are made of. Package group sums groups of runs up and compares
// them, by the definitions of package stats. Package figure draws. Package evaluate says
// what options are worth, which hangs off an iteration and is replayed as it is.
package replay
