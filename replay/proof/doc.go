// Package proof is podtrack's own: it extracts the evidence for one option from a store, and verifies it elsewhere.
//
// [Write] writes an excerpt of the option's run: the digests of all of its records, and the bytes of those that an
// audit reads. [Open] verifies such an excerpt and makes a store of it, in which the option can be audited like any
// other: package why recounts the data, factors them again and follows the chain to the head. Nothing in an excerpt is
// executed, and memory is checked before it is allocated.
package proof
