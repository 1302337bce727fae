// Package rows is podtrack's own: it has the rows and records of a store, one level above the pages: the
// buckets, the form of keys, the checksum at the end of every row, and a transaction that reads and writes
// rows. What the rows mean for runs is up to package tracker.
//
// A reading transaction uses package pages and never bbolt; a writing one uses bbolt and sees its own changes.
// Both panic with a [StructureError] if the file's structure is damaged.
//
// FORMAT.md in package schema describes the bytes.
package rows
