package pages

import (
	"encoding/binary"
	"math/bits"
)

// manyFree is the count in the header of a long freelist, whose actual count is the first number of
// the list.
const manyFree = 0xffff

// chunk is the number of bytes of the freelist that are read at once.
const chunk = 64 << 10

// readFreelist reads the list of free pages. It also returns the pages that the list itself
// occupies.
func (f *File) readFreelist() (free pageSet, list *pageSpan, err error) {
	r, err := f.load(f.Freelist, f.End)
	if err != nil {
		return nil, nil, err
	}
	if r.flags != flagFreelist {
		return nil, nil, r.damageAt(8, "type %#x, expected a freelist", r.flags)
	}
	at, count := int64(headerSize), uint64(r.count)
	if r.count == manyFree {
		b, err := r.bytes(at, 8)
		if err != nil {
			return nil, nil, err
		}
		at, count = at+8, binary.NativeEndian.Uint64(b)
	}
	if count > uint64(r.size-at)/8 {
		return nil, nil, r.damageAt(10, "%d free pages are out of bounds", count)
	}
	free, err = r.readPageNumbers(at, int64(count))
	return free, r, err
}

// readPageNumbers reads count page numbers, which must ascend.
func (p *pageSpan) readPageNumbers(at, count int64) (pageSet, error) {
	pages, last := pageSet{}, uint64(0)
	for end := at + 8*count; at < end; {
		b, err := p.bytes(at, min(chunk, end-at))
		if err != nil {
			return nil, err
		}
		for ; len(b) > 0; b, at = b[8:], at+8 {
			free := binary.NativeEndian.Uint64(b)
			if free <= last || !p.f.isDataPage(free) || free >= p.page && free < p.page+p.pageCount() {
				return nil, p.damageAt(at, "page %d cannot be free here", free)
			}
			last = free
			pages.add(free, 1)
		}
	}
	return pages, nil
}

// UsedBytes returns the bytes of the file in use: all pages except the free ones and those beyond the last.
func (f *File) UsedBytes() (int64, error) {
	free, _, err := f.readFreelist()
	if err != nil {
		return 0, err
	}
	return (int64(f.End) - free.count()) * f.PageSize, nil
}

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
