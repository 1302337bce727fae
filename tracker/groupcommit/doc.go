// Package groupcommit is podtrack's own: it writes what runs make into a store, and commits the
// work of all runs of a process in groups, since each commit waits for the disk and excludes all
// other processes.
//
// [Start] starts a [Writer]. [Writer.Acquire] takes the lease of a run and returns its [RunWriter],
// which takes records and seals them by naming them in a checkpoint or an iteration. Sealed work is
// committed once a second, or when asked for. Runs that do not retain everything are pruned on the
// way.
package groupcommit
