package diff

// states is a set of states, one bit each.
type states []uint64

func newStates(n int) states { return make(states, (n+63)/64) }

func (s states) add(state int)      { s[state/64] |= 1 << (state % 64) }
func (s states) has(state int) bool { return s[state/64]>>(state%64)&1 == 1 }
