package envs

import "hash/maphash"

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
