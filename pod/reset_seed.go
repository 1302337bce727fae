package pod

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/podtrack/podtrack/schema"
)

// ResetSeed returns the seed of the reset with which iteration k begins: the first 53 bits of
// SHA-256("podtrack/reset/1" ‖ CBOR[seed, k]), which numbers of every language can hold.
func ResetSeed(seed uint64, k int) uint64 {
	b, err := schema.Marshal([]any{seed, k})
	if err != nil {
		panic(err) // integers always encode
	}
	h := sha256.Sum256(append([]byte("podtrack/reset/1"), b...))
	return binary.BigEndian.Uint64(h[:8]) >> 11
}
