package pod

// A VisitedSet is a set of states that were visited, one bit each. Its zero value is empty.
type VisitedSet struct {
	words []uint64
	n     int64
}

// NewVisitedSet returns an empty set with room for the given number of states. It grows where
// more become known.
func NewVisitedSet(states int) VisitedSet { return VisitedSet{words: make([]uint64, (states+63)/64)} }

// Add adds a state and reports whether it was new.
func (v *VisitedSet) Add(s int) bool {
	word, bit := s/64, uint64(1)<<(s%64)
	if word >= len(v.words) {
		v.grow(word)
	}
	if v.words[word]&bit != 0 {
		return false
	}
	v.words[word] |= bit
	v.n++
	return true
}

// grow makes room for states that were unknown at the start.
func (v *VisitedSet) grow(word int) {
	v.words = append(v.words, make([]uint64, word+1-len(v.words))...)
}

// Has reports whether a state is in the set.
func (v *VisitedSet) Has(s int) bool { return s/64 < len(v.words) && v.words[s/64]>>(s%64)&1 == 1 }

// Len returns the number of states in the set.
func (v *VisitedSet) Len() int64 { return v.n }
