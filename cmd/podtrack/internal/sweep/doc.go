// Package sweep executes many runs of a few specs, on one machine or on many.
//
//  1. A [Plan] lists the runs: distinct specs, the seeds of each, the number of
//     iterations. It is a readable file, and nothing depends on the order of its jobs.
//  2. A [Shard] is the i-th of n parts of a plan's jobs. Shards are executed
//     independently.
//  3. A [Folder] is shared by machines that share no store. A [Worker] executes a shard,
//     writes its results into the folder as sealed parts, and starts from the parts of
//     earlier workers.
//  4. [Folder.Gather] copies the parts into one store. Runs are deterministic and a merge
//     takes each iteration once, so duplicate work does no harm.
//
// A part is a store of its own with the runs that changed since the worker's previous
// part. Its records are verified before it is sealed: its name holds the SHA-256 of its
// bytes, so that gathering need not verify every record again in one place.
package sweep
