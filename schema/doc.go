// Package schema is the vocabulary of podtrack: the types that every other
// package speaks, their canonical bytes, and the digests that chain them.
//
// A value (a [Spec], [Transitions], [Factors], …) is encoded into the same bytes
// on every machine, and is known by their SHA-256.
//
// # Runs
//
// A [Spec] holds everything that decides the outcome of a run. Start from the default spec of package pod, change it
// with [Spec.Set] or [Spec.ReadJSON], and check it with [Spec.Validate], which also brings it into its canonical form.
// [RunID] is its digest: the same spec is the same run.
//
// # Records
//
// Each result of an iteration is a record: a CBOR header {kind, shape, version} followed by little-endian arrays.
// [Name] returns the SHA-256 of those bytes. The kinds are [Observations], [Transitions], [Rewards], [Rows], [Factors],
// [Selection], [Value], [Theta], [Option], [Measures] and [ExternalMeasures]; a [Value] or [Theta] is a
// [ValueFunction]. Each has an Encode method and a Decode function; [Decode] decodes any of them.
//
// [Link] chains the names of an iteration's records to everything before them. The last link of a run is its head: one
// short string that stands for every bit in the run.
//
// # Rules
//
//   - There is one encoding for each value. Decoding is strict: any other bytes are refused
//     with one of the errors of package [github.com/podtrack/podtrack/schema/wire].
//   - NaN and infinities have no encoding.
//   - Errors that a user can fix carry the remedy: see [Hint] and [Remedy].
//   - Nothing here knows about storage, compression, randomness or time.
//
// FORMAT.md in this folder has the bytes, the store's tree and the invariants.
package schema
