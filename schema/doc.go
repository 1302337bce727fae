// Package schema is the vocabulary of podtrack: the types that every other
// package speaks, their canonical bytes, and the digests that chain them.
//
// A value (a [Spec], [Transitions], [Factors], …) is encoded into the same bytes
// on every machine, and is known by their SHA-256.
//
// # The path to read
//
//  1. [Spec] holds everything that decides the outcome of a run. [RunID] is its
//     digest: the same spec is the same run.
//  2. A record is a CBOR header {kind, shape, version} followed by
//     little-endian arrays. [Name] returns the SHA-256 of those bytes. The kinds are
//     [Observations], [Transitions], [Rows], [Factors], [Selection], [Value],
//     [Theta], [Option] and [Measures]; a [Value] or [Theta] is a [ValueFunction].
//  3. [Link] chains the names of an iteration's records to all that came before
//     it. The last link of a run is its head: one short string that stands for
//     every bit in the run.
//  4. An [Evaluation] refers to a link, and is part of no chain.
//
// # Rules
//
//   - There is one encoding for each value. Decoding is strict: any other bytes are refused
//     with one of the errors of package [github.com/podtrack/podtrack/schema/wire].
//   - NaN and infinities have no encoding.
//   - Nothing here knows about storage, compression, randomness or time.
//
// FORMAT.md in this folder has the bytes, the store's tree and the invariants.
package schema
