// Package replay creates and opens stores, executes runs in them, and reads and proves recorded runs.
//
// [Create] or [Open] a [Store]; [Store.Run] executes a [Job], a spec and a number of iterations, and
// returns the [Run], which reads its steps, factors, purposes, options and measures; [Run.Verify]
// proves it. Environments and stages of one's own are in [Options], apart from those that package pod
// registers. The examples show each, and podtrack help go has whole programs. What these use is stable; other
// exported names serve the packages above and may change.
//
// A run is the infinite sequence of iterations that its spec determines; the store
// holds a verified prefix of it. Running, resuming, forking, replaying and repairing
// therefore execute the same stages and differ only in what happens to a stage's result:
// a recorder stores it; a comparer compares it with the recorded one, or restores a
// record that is lost.
//
// # How it works
//
// [Engine.Run] executes one run from its recorded state to its target, [Engine.RunAll] many at once. [Verify] replays
// a run: each stage is executed from its own recorded inputs, and compared with its records, pruned ones by their
// digests; a [Difference] is the first element that differs. [Restore] is a replay that writes the records that the
// store cannot read; [Repair] does so for a repaired store, [Unprune] for pruned records.
//
// Costs, hosts and times are stored beside a run, never in a record.
package replay
