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
//     about damage into errors. bucket.go decides how a bucket is accessed: through
//     package pages, which checks what it reads, or in a writing transaction through
//     bbolt.
//  2. [Tx] reads and annotates. layout.go has the buckets, row.go reads and writes
//     rows, row_checksum.go their checksums; package codec has the stored forms of
//     records. [ScanNewest] reads all runs on all processors, with the
//     decoders of row_fastdecode.go.
//  3. [Writer] groups the commits of all runs of a process. A [RunWriter] takes the
//     records of one run and seals them by naming them in a checkpoint or an
//     iteration. Only commit.go writes them to the file.
//  4. [Lease] records which process works on a run, and until when that is valid.
//  5. [Copy] copies runs from one store to another in a pipeline of three stages:
//     copy_survey.go reads both stores, copy_load.go reads and verifies what is to be
//     copied, copy_write.go writes it. A [copyBatch] is what one transaction writes, a
//     [runSegment] one run's part of it, and a [runReader] reads the run. verify.go
//     verifies records, metadata_merge.go merges the metadata of a run.
//  6. [Prune] drops records according to the [Retention] of their runs. references.go
//     determines which rows of the store retain a record; prune_step.go runs one
//     transaction after the other, prune_background.go does so for running runs.
//  7. [Store.Compact] copies what is in use to a new file and replaces the old one. A
//     [liveCopy] makes that copy while others write: live_copy.go reads the store in
//     passes, live_copy_write.go writes. [Store.Backup] uses it, too.
//  8. [Repair] is a damaged file with a new store beside it that holds everything
//     valid. repair_salvage.go reads the tree, repair_scan.go every page, and
//     repair_reconcile.go makes the rows consistent.
//  9. [Check] reads all of a store: check_pages.go the structure, check_run.go a run,
//     check_orphans.go what belongs to no run, check_records.go the records.
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
