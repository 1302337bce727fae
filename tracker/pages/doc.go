// Package pages is podtrack's own: it reads the files that bbolt writes, without bbolt. bbolt trusts the file:
// on a damaged one it hangs, faults or returns wrong results.
//
// Any bytes are accepted; the results are keys and values, or a [Damage] that names the page, the place and the
// reason.
//
// [Open] finds the newest valid meta page. A [File] is the state that it names; the caller must prevent writes
// to the file. [File.Traverse] visits the whole tree, each page once, and compares the pages in use with the
// list of free ones. [File.OpenBucket] and [Cursor] find keys, and check only the pages on the way. [Scan]
// reads every page of the file separately, for contents that a broken tree does not lead to.
//
// # Rules
//
//   - A number from the file is compared with its bounds before it is used, in 64
//     bits, in which no sum of such numbers overflows.
//   - Pages must have exactly the form in which bbolt writes them: elements without gaps,
//     keys ascending, exactly as many pages as necessary, all leaves of a tree at one
//     depth, no bucket within a bucket. So even a harmless change of a header is
//     detected.
//   - Memory is bounded by the page size, maxBuffered and the number of pages, time by
//     the size of the file. Values are read on demand.
//   - Contents are not verified: only meta pages have checksums.
package pages
