package collect

import (
	"math/bits"
	"slices"
)

// Starts remembers in which states the options of an agent can start, so that a decision does not look at each of them
// again: over many iterations that would be most of the work. It knows the states in which a decision was made, with a
// bit for each option, where the option's policy has a byte.
//
// The zero value knows nothing. Options join at the end of the set and leave at its beginning; in other sets the states
// are looked at anew. An option's policy may be extended to states that are discovered, and must not change otherwise.
type Starts struct {
	leaveOut []uint64
	states   map[int]*startsAt
}

// startsAt has the options from first to end that can start in a state.
type startsAt struct {
	first, end int // numbers
	base       int // the number that the first bit is of, a multiple of 64
	bits       []uint64
	count      int // of bits that are set
}

// at returns what is known of a state, after it was brought up to the set.
func (s *Starts) at(o OptionSet, state int) *startsAt {
	if !slices.Equal(s.leaveOut, o.LeaveOut) {
		s.leaveOut, s.states = slices.Clone(o.LeaveOut), nil
	}
	at := s.states[state]
	if at == nil {
		if s.states == nil {
			s.states = map[int]*startsAt{}
		}
		at = new(startsAt)
		s.states[state] = at
	}
	if o.First < at.first || o.First >= at.end || o.End() < at.end {
		*at = startsAt{first: o.First, end: o.First, base: o.First &^ 63, bits: at.bits[:0]}
	}
	at.leave(o.First)
	for ; at.end < o.End(); at.end++ {
		i := at.end - at.base
		if i/64 == len(at.bits) {
			at.bits = append(at.bits, 0)
		}
		if o.At(at.end).CanStart(state) && !o.isLeftOut(at.end-o.First) {
			at.bits[i/64] |= 1 << (i % 64)
			at.count++
		}
	}
	return at
}

// leave drops the options before a number.
func (a *startsAt) leave(first int) {
	for a.first < first {
		i := a.first - a.base
		word := &a.bits[i/64]
		gone := *word & (1<<(min(first-a.base-i/64*64, 64)) - 1)
		*word &^= gone
		a.count -= bits.OnesCount64(gone)
		a.first = min(first, a.base+(i/64+1)*64)
	}
	if words := (a.first - a.base) / 64; words > len(a.bits)/2 {
		a.bits = append(a.bits[:0], a.bits[words:]...)
		a.base += 64 * words
	}
}

// nth returns the number of the n-th option, from 0.
func (a *startsAt) nth(n int) int {
	for i, word := range a.bits {
		if in := bits.OnesCount64(word); n >= in {
			n -= in
			continue
		}
		for ; n > 0; n-- {
			word &= word - 1 // without its lowest bit
		}
		return a.base + 64*i + bits.TrailingZeros64(word)
	}
	panic("pod: fewer options than were counted")
}
