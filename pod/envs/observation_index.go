package envs

import "hash/maphash"

// observationIndex finds states by their observations, without storing these: it is a hash table with open addressing,
// at most three quarters full. A built-in map would look up each new observation twice, and move the observations when
// it grows.
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

// find returns the state of an observation among those given, or −1 and the slot in which to put it. The slot is valid
// until the next change.
func (o *observationIndex) find(observation []byte, observations []string) (state int, tag uint32, slot int) {
	tag = uint32(maphash.Bytes(o.seed, observation))
	for slot = o.first(tag); o.slots[slot] != 0; slot = o.next(slot) {
		if s := int(uint32(o.slots[slot])) - 1; uint32(o.slots[slot]>>32) == tag && observations[s] == string(observation) {
			return s, tag, slot
		}
	}
	return -1, tag, slot
}

// put adds a state with a new observation.
func (o *observationIndex) put(state int, tag uint32, slot int) {
	o.slots[slot] = uint64(tag)<<32 | uint64(state+1)
	if o.used++; 4*o.used > 3*len(o.slots) {
		o.grow()
	}
}

func (o *observationIndex) grow() {
	old := o.slots
	o.slots = make([]uint64, 2*len(old))
	for _, entry := range old {
		if entry != 0 {
			slot := o.first(uint32(entry >> 32))
			for o.slots[slot] != 0 {
				slot = o.next(slot)
			}
			o.slots[slot] = entry
		}
	}
}

func (o *observationIndex) first(tag uint32) int { return int(tag) & (len(o.slots) - 1) }

func (o *observationIndex) next(slot int) int { return (slot + 1) & (len(o.slots) - 1) }
