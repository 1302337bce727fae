package pages

import "math/bits"

// pageSet is a sparse bit set of page numbers.
type pageSet map[uint64]*[chunkWords]uint64

const (
	chunkWords = 64
	chunkPages = 64 * chunkWords
)

// add inserts n pages, and returns the first of them that was in the set already.
func (s pageSet) add(page, n uint64) (twice uint64, found bool) {
	for p := page; p < page+n; p++ {
		chunk := s[p/chunkPages]
		if chunk == nil {
			chunk = new([chunkWords]uint64)
			s[p/chunkPages] = chunk
		}
		word, bit := &chunk[p/64%chunkWords], uint64(1)<<(p%64)
		if *word&bit != 0 && !found {
			twice, found = p, true
		}
		*word |= bit
	}
	return twice, found
}

// findAny returns the first of n pages that is in the set.
func (s pageSet) findAny(page, n uint64) (in uint64, found bool) {
	for p := page; p < page+n; p++ {
		if chunk := s[p/chunkPages]; chunk != nil && chunk[p/64%chunkWords]&(1<<(p%64)) != 0 {
			return p, true
		}
	}
	return 0, false
}

func (s pageSet) count() (n int64) {
	for _, chunk := range s {
		for _, word := range chunk {
			n += int64(bits.OnesCount64(word))
		}
	}
	return n
}
