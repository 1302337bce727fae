// Package tracker is podtrack's own: it is the store, one bbolt file that holds records under their digests,
// and rows that combine records into runs.
//
// Records are opaque bytes, which this package does not interpret; iterations and checkpoints list them, and
// reading verifies them. A [Store] opens the file for one transaction at a time, [Store.View] or
// [Store.Update]; a [Tx] reads, annotates, and finds runs. Package groupcommit writes the results of runs.
//
// Operations on a whole store are in the packages above: check, merge, repair, backup, gc and excerpt. They
// work on rows and records, [Tx.Rows], and on stored forms, [Store.Codec]. That these are exported costs less
// than a façade over an internal core: a [Tx] has more than sixty methods, and an alias of a type has no
// documentation of its own.
//
// # Rules
//
//   - The file is not open between transactions.
//   - Referents before references: a record enters the file in the commit of the
//     first row that names it, never earlier or later. While rows name it, it can
//     only be replaced by a tombstone.
//   - Every read verifies a digest or a checksum, or is of a number that a later
//     verified read would contradict.
//   - Returned bytes are copies. Nothing refers to the mapped file after a
//     transaction.
//   - In a store, bbolt reads no page that package pages has not checked before.
//   - New files appear under their names only when they are complete: see package tempfile.
//   - Long work is done in portions, so that others can write in between: see [TxSizer].
//
// FORMAT.md in package schema describes the bytes.
package tracker
