// Package excerpt is podtrack's own: it extracts one run from a store, with the bytes of some of its records
// and only the digests of the others. Such an excerpt can prove a part of the run.
//
// [Write] writes an excerpt as a stream of bytes, which depend only on the run, the selection and the version
// of the compression. [Read] verifies such a stream, which may be forged, and writes its run into a store, in
// which the other records count as pruned. An excerpt has no annotations, costs or sessions of the
// run.
//
// FORMAT.md, Excerpts, has the bytes.
package excerpt
