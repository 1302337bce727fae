// Package tracker is the store: one bbolt file that holds records under their
// digests, and rows that combine records into runs.
//
// Records (opaque bytes) flow in, with the lists of them that iterations and
// checkpoints have; the same bytes flow out, verified. This package does not
// interpret records.
//
// # Where to begin reading
//
//  1. [Store] opens the file for one transaction at a time: [Store.View],
//     [Store.Update]. Only open.go opens the file, and only package filelock locks it;
//     preflight.go checks it before bbolt sees it, and recover_damage.go turns panics
//     about damage into errors.
//  2. [Tx] reads and annotates. Package rows, one level below, has the buckets, rows and
//     records: it reads through package pages, which checks what it reads, or in a
//     writing transaction through bbolt. Package codec has the stored forms of records.
//     [ScanNewest] reads all runs on all processors; find.go finds runs by smaller rows.
//  3. [Writer] groups the commits of all runs of a process. A [RunWriter] takes the
//     records of one run and seals them by naming them in a checkpoint or an
//     iteration. Only commit.go writes them to the file.
//  4. [Lease] records which process works on a run, and until when that is valid.
//  5. [Prune] drops records according to the [Retention] of their runs. references.go
//     determines which rows of the store retain a record; prune_step.go runs one
//     transaction after the other, prune_background.go does so for running runs.
//     [Remove] drops runs for good; [Discard] moves their rows aside, so that [Undelete]
//     can restore them until the next compaction.
//  6. An [Exchange] replaces the store's file by a new one while writers wait.
//     [Compact] makes one with what is in use; [Repair] has a new store with
//     everything valid beside a damaged file: repair_salvage.go reads the tree,
//     repair_scan.go every page, and repair_reconcile.go makes the rows consistent.
//  7. [CopyLive] copies a store while others write. A [liveCopy] reads it in passes
//     (live_copy.go) and writes (live_copy_write.go); a compaction is one pass.
//  8. Long work is done in portions, whose sizes package portion has: a [TxQueue] collects
//     changes, and a [TxSizer] says how many one transaction makes. [Tx.NamingRows] yields
//     the rows that name records, to all that ask which records are in use.
//
// Packages check, merge and backup stand above this one. They read and write rows through
// [Tx.Rows].
//
// New files appear under their names only when they are complete: see package tempfile.
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
//
// FORMAT.md in package schema describes the bytes.
package tracker
