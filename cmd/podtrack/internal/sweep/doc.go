// Package sweep executes many runs of a few specs.
//
//  1. A [Plan] lists the runs: distinct specs, the seeds of each, the number of
//     iterations. Nothing depends on the order in which they are made.
//  2. A [Shard] is the i-th of n parts of a plan's runs. Each can be made in a store of
//     its own, on any machine. Runs are deterministic and a merge takes each iteration
//     once, so duplicate work does no harm.
package sweep
