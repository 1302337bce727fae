package pages

import (
	"encoding/binary"
	"math/bits"
)

// manyFree is the count in the header of a long freelist, whose actual count is the first number of the list.
const manyFree = 0xffff

const chunk = 64 << 10

// readFreelist reads the list of free pages. It also returns the pages that the list itself occupies.
func (f *File) readFreelist() (free Set, list *pageSpan, err error) {
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
func (p *pageSpan) readPageNumbers(at, count int64) (Set, error) {
	pages, last := Set{}, uint64(0)
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
			pages.Add(free)
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

// A Set is a sparse set of numbers, of pages or of other things. Numbers that are close together take one bit each.
type Set map[uint64]*[setWords]uint64

const setWords = 64 // in which numbers are close together

// Add inserts a number, and reports whether it was not in the set.
func (s Set) Add(n uint64) (isNew bool) {
	words := s[n/64/setWords]
	if words == nil {
		words = new([setWords]uint64)
		s[n/64/setWords] = words
	}
	word, bit := &words[n/64%setWords], uint64(1)<<(n%64)
	isNew = *word&bit == 0
	*word |= bit
	return isNew
}

// Has reports whether a number is in the set.
func (s Set) Has(n uint64) bool {
	words := s[n/64/setWords]
	return words != nil && words[n/64%setWords]&(1<<(n%64)) != 0
}

// Remove removes a number.
func (s Set) Remove(n uint64) {
	if words := s[n/64/setWords]; words != nil {
		words[n/64%setWords] &^= 1 << (n % 64)
	}
}

func (s Set) count() (n int64) {
	for _, words := range s {
		for _, word := range words {
			n += int64(bits.OnesCount64(word))
		}
	}
	return n
}
