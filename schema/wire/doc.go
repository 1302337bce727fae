// Package wire is podtrack's own: it reads and writes bytes, one encoding for each value. It knows CBOR and
// little-endian arrays, but no kind of record.
//
// [Marshal] and [Unmarshal] are for values of which there are few. [CBORReader], [ArrayReader] and [ArrayWriter] are
// for many: they need no reflection, and read nothing twice. [DecodeJSON] reads what other programs and people write.
//
// Reading is strict: bytes that this package would not have written are refused with [ErrTruncated], [ErrOversized],
// [ErrNotCanonical], [ErrVersion] or [ErrMalformed]. NaN and infinities have no encoding. What bytes claim about their
// length is compared with their length before memory is allocated.
package wire
