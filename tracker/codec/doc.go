// Package codec is podtrack's own: it packs records into their stored forms, and unpacks them. A stored form is
// raw, compressed by zstd, or encoded as differences between similar parts of the record.
//
// [Codec] chooses the form, and verifies on unpacking that a record has the expected digest.
//
// A stored form may be forged: its lengths are checked before memory is allocated, and a large record is
// verified before it is unpacked.
package codec
