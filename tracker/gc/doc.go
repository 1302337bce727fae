// Package gc is podtrack's own: it frees what a store no longer needs.
//
// [Prune] drops the records that no retention keeps. [Discard] removes runs so that [Undelete] can
// restore them until the next compaction, and [Remove] removes them for good. [MeasureUsage] tells
// what takes space. None of them makes the file smaller: new records reuse the space, and
// a compaction, in package backup, gives it back.
//
// Which rows name a record, and whether they retain it, is determined while others read; short
// transactions then drop it, unless the store has changed in between.
package gc
