package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Digest is a SHA-256: the name of a record, the ID of a run, or a link.
type Digest [sha256.Size]byte

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// IsZero reports whether d names nothing.
func (d Digest) IsZero() bool { return d == Digest{} }

// MarshalText gives lower-case hexadecimal, for JSON.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what [Digest.MarshalText] writes.
func (d *Digest) UnmarshalText(text []byte) error {
	v, err := ParseDigest(string(text))
	*d = v
	return err
}

// ParseDigest reads 64 hexadecimal digits.
func ParseDigest(s string) (Digest, error) {
	var d Digest
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(d) {
		return d, fmt.Errorf("%w: %q is not a digest of 64 hexadecimal digits", ErrMalformed, s)
	}
	copy(d[:], b)
	return d, nil
}

// Name is the digest under which a record's bytes are known.
func Name(record []byte) Digest { return sha256.Sum256(record) }

// hashCBOR is SHA-256 over a domain and the canonical CBOR of v.
func hashCBOR(domain string, v any) (Digest, error) {
	b, err := Marshal(v)
	if err != nil {
		return Digest{}, fmt.Errorf("digest %s: %w", domain, err)
	}
	return sha256.Sum256(append([]byte(domain), b...)), nil
}
