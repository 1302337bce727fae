package tracker

// bitset is a sparse set of numbers. Numbers that are close together take one bit each.
type bitset map[uint64]*[bitsetWords]uint64

const bitsetWords = 64

func (s bitset) has(n uint64) bool {
	words := s[n/64/bitsetWords]
	return words != nil && words[n/64%bitsetWords]&(1<<(n%64)) != 0
}

func (s bitset) add(n uint64) {
	words := s[n/64/bitsetWords]
	if words == nil {
		words = new([bitsetWords]uint64)
		s[n/64/bitsetWords] = words
	}
	words[n/64%bitsetWords] |= 1 << (n % 64)
}

func (s bitset) remove(n uint64) {
	if words := s[n/64/bitsetWords]; words != nil {
		words[n/64%bitsetWords] &^= 1 << (n % 64)
	}
}
