package envs

import "hash/maphash"

// observationIndex finds states by their observations, which it does not keep: a hash table with open addressing, of
// which at most three quarters are in use. A built-in map would look up each new observation twice, and move the
// observations when it grows.
type observationIndex struct {
	seed  maphash.Seed
	slots []uint64 // 32 bits of the hash above one more than the state; 0 if free
	used  int
}

// newObservationIndex returns the index of distinct observations.
func newObservationIndex(observations []string) *observationIndex {
	x := &observationIndex{seed: maphash.MakeSeed(), slots: make([]uint64, 16)}
	for s, b := range observations {
		_, tag, slot := x.find([]byte(b), observations[:s])
		x.put(s, tag, slot)
	}
	return x
}

// find returns the state of an observation among those given, or −1. The slot is where it is to be put then, until
// the next change.
func (x *observationIndex) find(observation []byte, observations []string) (state int, tag uint32, slot int) {
	tag = uint32(maphash.Bytes(x.seed, observation))
	for slot = x.first(tag); x.slots[slot] != 0; slot = x.next(slot) {
		if s := int(uint32(x.slots[slot])) - 1; uint32(x.slots[slot]>>32) == tag && observations[s] == string(observation) {
			return s, tag, slot
		}
	}
	return -1, tag, slot
}

// put adds a state whose observation was not found.
func (x *observationIndex) put(state int, tag uint32, slot int) {
	x.slots[slot] = uint64(tag)<<32 | uint64(state+1)
	if x.used++; 4*x.used > 3*len(x.slots) {
		x.grow()
	}
}

func (x *observationIndex) grow() {
	old := x.slots
	x.slots = make([]uint64, 2*len(old))
	for _, entry := range old {
		if entry != 0 {
			slot := x.first(uint32(entry >> 32))
			for x.slots[slot] != 0 {
				slot = x.next(slot)
			}
			x.slots[slot] = entry
		}
	}
}

func (x *observationIndex) first(tag uint32) int { return int(tag) & (len(x.slots) - 1) }

func (x *observationIndex) next(slot int) int { return (slot + 1) & (len(x.slots) - 1) }
