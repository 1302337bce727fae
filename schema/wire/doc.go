// Package wire is podtrack's own: it reads and writes bytes, with one encoding for each value. It knows CBOR
// and little-endian arrays, but no kind of record.
//
// [Marshal] and [Unmarshal] use reflection, and suit values that are few. [CBORReader], [ArrayReader] and
// [ArrayWriter] are for values that are many. [DecodeJSON] reads the input of other programs and people.
//
// Reading is strict: bytes that this package would not have written are refused with [ErrTruncated],
// [ErrOversized], [ErrNotCanonical], [ErrVersion] or [ErrMalformed]. NaN and infinities have no encoding. A
// length that bytes claim is compared with their number before memory is allocated.
package wire
