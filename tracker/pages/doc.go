// Package pages reads the files that bbolt writes, without bbolt: which trusts
// what it reads, and hangs, faults or answers wrongly where that is damaged.
//
// What flows in are bytes that may be anything; what flows out are keys and
// values, or a [Damage] that says which page is wrong, where and why.
//
// # The path to read
//
//  1. [Open] finds the newest valid meta page (meta.go). A [File] is that one
//     state; whoever reads it keeps others from writing to the file.
//  2. A page with its overflow is loaded by run.go and checked by node.go, which
//     is the one place that looks into a page. set.go remembers pages.
//  3. [File.Traverse] goes through the whole tree, each page once; free.go reads the
//     list of free pages, which the walk holds against those in use.
//  4. [File.OpenBucket] and [Cursor] find keys, and check each page that they come
//     through, and no other. near.go is the shortcut for keys in their order.
//  5. [Scan] looks at every page of the file on its own, for what a tree
//     that is broken does not lead to.
//
// # Rules
//
//   - A number from the file is compared with its bounds before it is used, in 64
//     bits, where no sum of such numbers overflows.
//   - Pages are in the one form in which bbolt writes them: elements without gaps,
//     keys ascending, exactly the pages that are needed, all leaves of a tree at
//     one depth, no bucket within a bucket. So a changed header is seen even where
//     it would do.
//   - Memory is bounded by the size of a page, maxBuffered and the number of
//     pages, time by the size of the file. Values are read when they are asked for.
//   - Nothing here verifies contents: there are no checksums but of meta pages.
package pages
