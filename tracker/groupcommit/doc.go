// Package groupcommit is podtrack's own: it writes the results of runs into a store, and commits the work of
// all runs of a process in groups, since each commit waits for the disk and excludes all other processes.
//
// [Start] starts a [Writer]. [Writer.Acquire] takes the lease of a run and returns its [RunWriter], which
// accepts records and seals them by naming them in a checkpoint or an iteration. Sealed work is committed once
// a second, or on request. Of runs that do not keep everything, a commit writes only what they keep or need to
// continue.
package groupcommit
