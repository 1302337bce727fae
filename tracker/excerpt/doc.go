// Package excerpt is podtrack's own: it takes one run out of a store, with the bytes of some of its
// records and only the digests of the others: as much as a proof of a part of the run needs.
//
// [Write] writes an excerpt as a stream of bytes, which depend on nothing but the run, the
// selection and the version of the compression. [Read] verifies such a stream, from whoever
// it comes, and writes its run into a store, in which the other records count as pruned. An
// excerpt has no annotations, costs, sessions or evaluations of the run.
//
// FORMAT.md, Excerpts, has the bytes.
package excerpt
