// Package rng is podtrack's own: it draws the random numbers of all stages, from streams that depend only on a seed, an
// iteration and a purpose.
package rng

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/podtrack/podtrack/schema/wire"
)

const streamDomain = "podtrack/stream/1"

// A Stream is a source of random numbers that depends only on a seed, an iteration and its purpose, so that specs that
// differ in anything else share it.
type Stream struct{ pcg rand.PCG }

// NewStream returns the stream of a seed, an iteration and a purpose. It seeds PCG with
// the first 16 bytes, big-endian, of SHA-256("podtrack/stream/1" ‖ CBOR[seed, iteration,
// use]).
func NewStream(seed uint64, iteration int, use string) *Stream {
	h := digest(streamDomain, seed, iteration, use)
	s := &Stream{}
	s.pcg.Seed(binary.BigEndian.Uint64(h[:8]), binary.BigEndian.Uint64(h[8:16]))
	return s
}

// Below returns a uniform integer in 0…n−1, n ≥ 1, by Lemire's multiplication with
// rejection (ACM TOMACS 29(1), 2019). Every call consumes at least one number of the
// stream.
func (s *Stream) Below(n int) int { return int(s.BelowBound(uint64(n))) }

func (s *Stream) BelowBound(bound uint64) uint64 {
	hi, lo := bits.Mul64(s.pcg.Uint64(), bound)
	if lo < bound {
		for reject := -bound % bound; lo < reject; {
			hi, lo = bits.Mul64(s.pcg.Uint64(), bound)
		}
	}
	return hi
}

// Chance reports true with probability p, from the 53 highest bits of one number of the stream.
func (s *Stream) Chance(p float64) bool { return float64(s.pcg.Uint64()>>11) < float64(p*(1<<53)) }

// Uint64 returns the next number of the stream, from which a draw is made.
func (s *Stream) Uint64() uint64 { return s.pcg.Uint64() }

// Save returns the stream's position, for [RestoreStream].
func (s *Stream) Save() ([]byte, error) { return s.pcg.MarshalBinary() }

// RestoreStream returns a stream that continues from the position that [Stream.Save]
// returned.
func RestoreStream(saved []byte) (*Stream, error) {
	s := &Stream{}
	if err := s.pcg.UnmarshalBinary(saved); err != nil {
		return nil, fmt.Errorf("%w: random stream: %w", wire.ErrMalformed, err)
	}
	return s, nil
}

// ResetSeed returns the seed of the reset with which iteration k begins: the first 53 bits of
// SHA-256("podtrack/reset/1" ‖ CBOR[seed, k]), which numbers of every language can hold.
func ResetSeed(seed uint64, k int) uint64 {
	h := digest("podtrack/reset/1", seed, k)
	return binary.BigEndian.Uint64(h[:8]) >> 11
}

// digest returns the SHA-256 of a domain followed by the CBOR of integers and strings.
func digest(domain string, of ...any) [sha256.Size]byte {
	b, err := wire.Marshal(of)
	if err != nil {
		panic(err) // encoding these cannot fail
	}
	return sha256.Sum256(append([]byte(domain), b...))
}

// DrawFirst moves n members drawn without replacement to the front.
func (s *Stream) DrawFirst(members []int, n int) {
	for i := range n {
		j := i + s.Below(len(members)-i)
		members[i], members[j] = members[j], members[i]
	}
}
