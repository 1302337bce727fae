// Package repair is podtrack's own: it makes a new store from the valid parts of a damaged file.
//
// [Begin] reads the tree, verifies the checksum of every row and the digest of every record, and, if the tree
// is damaged, searches all pages for rows and records. Then it makes the rows of the new store consistent. The
// caller fills its gaps, and [Repair.Replace] puts it in the place of the damaged file, which is kept.
package repair
