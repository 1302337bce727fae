// Package tracker is podtrack's own: it is the store, one bbolt file that holds records under their digests,
// and rows that combine records into runs.
//
// A [Store] opens the file for one transaction at a time, with [Store.View] or [Store.Update]. A [Tx] finds,
// reads and annotates runs. Records are bytes that this package verifies but does not interpret; iterations
// and checkpoints list them. Package groupcommit writes the results of runs.
//
// Operations on a whole store are in packages of their own: check, merge, repair, backup, gc and excerpt. They
// use the rows and the stored forms of records directly, through [Tx.Rows] and [Store.Codec].
//
// # Rules
//
//   - The file is not open between transactions.
//   - A record is written in the same commit as the first row that names it. While
//     a row names it, it can only be replaced by a tombstone.
//   - Every read verifies a digest or a checksum. The exceptions are counts that a
//     later verified read would contradict.
//   - Returned bytes are copies. Nothing refers to the mapped file after a
//     transaction.
//   - Package pages checks each page of a store before bbolt reads it.
//   - A new file gets its name only when it is complete: see package tempfile.
//   - Long work is split into several transactions, so that other processes can
//     write in between: see [Store.UpdateSized].
//
// FORMAT.md in package schema describes the bytes.
package tracker
