package pages

import "encoding/binary"

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
