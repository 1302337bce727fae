package schema

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/podtrack/podtrack/schema/wire"
)

// A Digest is a SHA-256: the name of a record, the ID of a run, or a link.
type Digest [sha256.Size]byte

// String returns the 64 hexadecimal digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// IsZero reports whether d is the zero Digest, which names nothing.
func (d Digest) IsZero() bool { return d == Digest{} }

// Compare compares digests by their bytes.
func (d Digest) Compare(e Digest) int {
	if c := cmp.Compare(binary.BigEndian.Uint64(d[:]), binary.BigEndian.Uint64(e[:])); c != 0 {
		return c // nearly always, and faster
	}
	return bytes.Compare(d[:], e[:])
}

// MarshalText returns d in lower-case hexadecimal, for JSON.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText parses the output of [Digest.MarshalText].
func (d *Digest) UnmarshalText(text []byte) error {
	v, err := ParseDigest(string(text))
	*d = v
	return err
}

// ParseDigest parses 64 hexadecimal digits.
func ParseDigest(s string) (Digest, error) {
	var d Digest
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(d) {
		return d, fmt.Errorf("%w: %q is not a digest of 64 hexadecimal digits", wire.ErrMalformed, s)
	}
	copy(d[:], b)
	return d, nil
}

// Name returns the digest of a record's bytes, under which it is stored.
func Name(record []byte) Digest { return sha256.Sum256(record) }

func hashCBOR(domain string, v any) (Digest, error) {
	b, err := wire.Marshal(v)
	if err != nil {
		return Digest{}, fmt.Errorf("digest %s: %w", domain, err)
	}
	return sha256.Sum256(append([]byte(domain), b...)), nil
}
