// Package tracker is the store: one bbolt file that holds records under their
// digests and the rows that make runs of them.
//
// What flows in are records (opaque bytes) and what an iteration or a
// checkpoint lists of them; what flows out are the same bytes, verified. What a
// record says is not this package's business.
//
// # The path to read
//
//  1. [Store] opens the file for one transaction at a time: [Store.View],
//     [Store.Update]. open.go is the only place where a file is opened, lock_unix.go
//     where it is locked, preflight.go what is asked of it before bbolt sees it,
//     guard.go what becomes of a panic below. bucket.go says who reads a bucket:
//     package pages, which checks what it reads, or bbolt in a transaction that
//     writes.
//  2. [Tx] reads and annotates. layout.go has the buckets, checksum.go what every
//     row ends in, codec.go and stretches.go the forms in which a record is stored.
//     [ScanNewest] reads all runs on as many processors as there are, quick.go their
//     rows.
//  3. [Writer] groups the commits of all runs of a process. A [RunWriter] takes
//     one run's records and seals them by naming them in a checkpoint or an
//     iteration. commit.go is the one place where they enter the file.
//  4. [Lease] says which process works on a run, and when that ceases to count.
//  5. [Copy] takes runs from one store into another, in three stages that work at
//     once: copysurvey.go looks at runs in both stores, copyload.go reads and proves
//     what comes over, copywrite.go writes it. A [copyBatch] is what one transaction
//     brings, a [runSegment] one run's part of it, for which a [runReader] goes through the
//     run; proof.go verifies records, said.go unites what is said of a run.
//  6. [Prune] drops records by what [Retention] says of their runs. ledger.go weighs
//     which rows of the store keep a record, sweep.go is one transaction after
//     the other, sweeper.go the same for runs that are at work.
//  7. [Store.Compact] copies what is live into a new file and swaps the two. A
//     [liveCopy] is that copy while others write: mirror.go goes through the store in
//     rounds, mirrorwrite.go writes. [Store.Backup] is such a copy, too.
//  8. [Repair] is a damaged file beside a new store with all that is sound in it.
//     salvage.go goes through the tree, salvagescan.go through every page, mend.go makes
//     the rows agree.
//  9. [Check] goes through all of it: checkpages.go the structure, checkrun.go a
//     run, checkstrays.go what is of no run, checkrecords.go the records.
//  10. [TempDir] is the folder in which one process makes one file, and [Reclaim]
//     removes those that killed processes left.
//
// # Rules
//
//   - Nothing holds the file open between transactions.
//   - Referents before references: a record enters the file in the commit of the
//     first row that names it, never earlier and never later. It leaves it for a
//     tombstone while rows name it.
//   - Every read verifies a digest or a checksum, or is of a number that a later
//     verified read would contradict.
//   - Bytes handed out are copies. Nothing points into the mapped file once a
//     transaction is over.
//   - In a store, bbolt goes no way that package pages has not gone before it.
//
// FORMAT.md in package schema has the bytes.
package tracker
