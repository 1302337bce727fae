// Package pages is podtrack's own: it reads the files that bbolt writes, without bbolt, which trusts
// what it reads: on a damaged file bbolt hangs, faults or returns wrong results.
//
// Arbitrary bytes flow in; keys and values flow out, or a [Damage] that tells which
// page is wrong, where and why.
//
// [Open] finds the newest valid meta page. A [File] is that one state; whoever reads it keeps others
// from writing to the file. [File.Traverse] visits the whole tree, each page once, and compares the
// pages in use with the list of free ones. [File.OpenBucket] and [Cursor] find keys, and check the
// pages on the way and no others. [Scan] reads every page of the file by itself, for contents that a
// broken tree does not lead to.
//
// # Rules
//
//   - A number from the file is compared with its bounds before it is used, in 64
//     bits, in which no sum of such numbers overflows.
//   - Pages must have the one form in which bbolt writes them: elements without gaps,
//     keys ascending, exactly as many pages as necessary, all leaves of a tree at one
//     depth, no bucket within a bucket. So even a harmless change of a header is
//     detected.
//   - Memory is bounded by the page size, maxBuffered and the number of pages, time by
//     the size of the file. Values are read on demand.
//   - Nothing here verifies contents: only meta pages have checksums.
package pages
