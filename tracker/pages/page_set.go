package pages

import "math/bits"

// A pageSet is a sparse bit set of page numbers.
type pageSet map[uint64]*[chunkWords]uint64

const (
	chunkWords = 64
	chunkPages = 64 * chunkWords
)

// add inserts n pages. If one was already in the set, it returns the first such page.
func (p pageSet) add(page, n uint64) (twice uint64, found bool) {
	for number := page; number < page+n; number++ {
		chunk := p[number/chunkPages]
		if chunk == nil {
			chunk = new([chunkWords]uint64)
			p[number/chunkPages] = chunk
		}
		word, bit := &chunk[number/64%chunkWords], uint64(1)<<(number%64)
		if *word&bit != 0 && !found {
			twice, found = number, true
		}
		*word |= bit
	}
	return twice, found
}

// findAny returns the first of n pages that is in the set, if any is.
func (p pageSet) findAny(page, n uint64) (in uint64, found bool) {
	for number := page; number < page+n; number++ {
		if chunk := p[number/chunkPages]; chunk != nil && chunk[number/64%chunkWords]&(1<<(number%64)) != 0 {
			return number, true
		}
	}
	return 0, false
}

func (p pageSet) count() (n int64) {
	for _, chunk := range p {
		for _, word := range chunk {
			n += int64(bits.OnesCount64(word))
		}
	}
	return n
}
