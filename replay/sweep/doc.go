// Package sweep is many runs of a few specs, on one machine or on many.
//
//  1. A [Plan] says which: distinct specs, the seeds of each, how far they go. It is a
//     file that anyone can read, and its jobs have an order that nothing else
//     depends on.
//  2. A [Shard] is the i-th of n parts of a plan's jobs: who executes them needs to
//     know nothing of the others.
//  3. A [Folder] is where the shards of machines that share no store meet. A
//     process that works on a shard puts what it has into it as sealed parts, and
//     begins with what all earlier attempts put there.
//  4. [Folder.Gather] takes the parts into one store. Runs are deterministic and a
//     merge takes each iteration once, so it does not matter who made what twice.
//
// A part is a store of its own with the runs that changed since its process wrote
// the last one. Its records are proved before the part is sealed: its name holds the
// SHA-256 of its bytes, so that what is gathered is what was proved, without
// proving it again one after another in one place.
package sweep
