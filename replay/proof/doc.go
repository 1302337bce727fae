// Package proof is podtrack's own: it takes out of a store what proves one option, and verifies it elsewhere.
//
// [Write] writes an excerpt of the option's run: the digests of all of its records, and the
// bytes of those that an audit reads. [Open] verifies such an excerpt and makes a store of
// it, in which [Evidence.Explain] audits the option like any other: package why recounts the
// data, factors them again and follows the chain to the head. Nothing of an excerpt is
// executed, and memory is asked for before it is taken.
package proof
