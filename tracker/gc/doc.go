// Package gc is podtrack's own: it frees the space that a store no longer needs.
//
// [Prune] drops the records that no retention keeps, [Remove] removes runs, and [MeasureUsage] reports what takes
// space. None of them makes the file smaller: new records reuse the space, and a compaction, in package backup,
// returns it.
//
// Which rows name a record, and whether they retain it, is determined while other processes read; short
// transactions then drop records, unless the store has changed in between.
package gc
