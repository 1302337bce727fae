// Package codec is podtrack's own: it packs records into their stored forms, and unpacks them: raw,
// compressed by zstd, or as differences to themselves.
//
// A record flows in, and its stored form out; then the reverse, under the digest that the
// record must have. [Codec] chooses the form and verifies digests.
//
// A stored form may come from anybody: its lengths are compared with their bounds before
// memory is allocated, and a large record is verified before it is unpacked.
package codec
