package diff

import "math/bits"

// states is a set of states, one bit each.
type states []uint64

func newStates(n int) states { return make(states, (n+63)/64) }

func (s states) add(state int)      { s[state/64] |= 1 << (state % 64) }
func (s states) has(state int) bool { return s[state/64]>>(state%64)&1 == 1 }

func (s states) size() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// union and common are new sets.
func (s states) union(t states) states  { return s.with(t, func(a, b uint64) uint64 { return a | b }) }
func (s states) common(t states) states { return s.with(t, func(a, b uint64) uint64 { return a & b }) }
func (s states) without(t states) states {
	return s.with(t, func(a, b uint64) uint64 { return a &^ b })
}

func (s states) with(t states, f func(a, b uint64) uint64) states {
	out := make(states, len(s))
	for i := range s {
		out[i] = f(s[i], t[i])
	}
	return out
}

// first are up to limit of its states, in order.
func (s states) first(limit int) []int {
	var list []int
	for i, w := range s {
		for ; w != 0 && len(list) < limit; w &= w - 1 {
			list = append(list, 64*i+bits.TrailingZeros64(w))
		}
	}
	return list
}
