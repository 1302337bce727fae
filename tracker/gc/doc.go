// Package gc is podtrack's own: it removes runs, with the records that only they name. The file does not shrink: new
// records reuse the space, and a compaction, in package backup, returns it.
//
// Which other rows name a record is determined while other processes read; short transactions then remove runs, unless
// the store has changed in between.
package gc
