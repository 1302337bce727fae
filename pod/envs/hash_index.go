package envs

import "hash/maphash"

// hashIndex finds the numbers of things by their hashes, without storing the things: it is a hash table with open
// addressing, at most three quarters full. A built-in map would look up each new thing twice, and move the things when
// it grows.
type hashIndex struct {
	slots []uint64 // 32 bits of the hash above one more than the number; 0 if free
	used  int
}

func newHashIndex() hashIndex { return hashIndex{slots: make([]uint64, 16)} }

// probe returns the number in a slot, −1 if it is free, and whether the thing of that number has the hash.
func (h *hashIndex) probe(hash uint32, slot int) (number int, matches bool) {
	entry := h.slots[slot]
	return int(uint32(entry)) - 1, uint32(entry>>32) == hash
}

// put adds the number of a new thing in the free slot in which the search for its hash ended.
func (h *hashIndex) put(number int, hash uint32, slot int) {
	h.slots[slot] = uint64(hash)<<32 | uint64(number+1)
	if h.used++; 4*h.used <= 3*len(h.slots) {
		return
	}
	old := h.slots
	h.slots = make([]uint64, 2*len(old))
	for _, entry := range old {
		if entry != 0 {
			slot := h.first(uint32(entry >> 32))
			for h.slots[slot] != 0 {
				slot = h.next(slot)
			}
			h.slots[slot] = entry
		}
	}
}

func (h *hashIndex) first(hash uint32) int { return int(hash) & (len(h.slots) - 1) }

func (h *hashIndex) next(slot int) int { return (slot + 1) & (len(h.slots) - 1) }

// observationIndex finds states by their observations, without storing these.
type observationIndex struct {
	seed maphash.Seed
	hashIndex
}

// newObservationIndex returns the index of distinct observations.
func newObservationIndex(observations []string) *observationIndex {
	x := &observationIndex{maphash.MakeSeed(), newHashIndex()}
	for s, b := range observations {
		_, hash, slot := x.find([]byte(b), observations[:s])
		x.put(s, hash, slot)
	}
	return x
}

// find returns the state of an observation among those given, or −1 and where to put it until the next change.
func (o *observationIndex) find(observation []byte, observations []string) (state int, hash uint32, slot int) {
	hash = uint32(maphash.Bytes(o.seed, observation))
	for slot = o.first(hash); ; slot = o.next(slot) {
		s, matches := o.probe(hash, slot)
		if s < 0 || matches && observations[s] == string(observation) {
			return s, hash, slot
		}
	}
}
