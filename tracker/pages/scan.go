package pages

import (
	"encoding/binary"
	"errors"
	"io"
)

// Scan reads every page of a file of size bytes separately, whether or not another refers to it, and calls
// visit for the elements of each page that looks like a leaf, up to the first invalid element. An element can
// belong to any bucket and any earlier state, or be no element at all: only its content tells.
//
// The overflow of a valid leaf is not read again. The overflow of invalid spans is followed up to a total of
// four times the size of the file, and then no more: this bounds the work by the size of the file.
func Scan(r io.ReaderAt, size, pageSize int64, visit func(Element) error) error {
	f := &File{Meta: Meta{PageSize: pageSize, End: uint64(size / pageSize)}, r: r, size: size}
	spare := 4 * size
	for page := uint64(0); page < f.End; page++ {
		limit := f.End
		if spare < 0 {
			limit = page + 1
		}
		n, err := f.loadLeaf(page, limit)
		switch {
		case n == nil && err != nil:
			return err
		case n == nil:
			continue
		case err == nil:
			page += n.pageCount() - 1
		default:
			spare -= n.size
		}
		if err := n.visitElements(visit); err != nil {
			return err
		}
	}
	return nil
}

// loadLeaf returns the leaf at that page, or nil if the page does not look like one. With a [Damage] it returns
// the valid elements before the damage.
func (f *File) loadLeaf(page, limit uint64) (*node, error) {
	r, err := f.load(page, limit)
	var n *node
	if err == nil && r.flags == flagLeaf {
		n, err = r.decode()
	}
	if d := (*Damage)(nil); n == nil && errors.As(err, &d) {
		return nil, nil
	}
	return n, err
}

// visitElements calls visit for the elements of a leaf and of the inline buckets in it.
func (n *node) visitElements(visit func(Element) error) error {
	for _, e := range n.elements {
		elements := []element{e}
		if e.bucket {
			inner, err := e.value.decodeInline()
			if d := (*Damage)(nil); err != nil && !errors.As(err, &d) {
				return err
			}
			if elements = nil; inner != nil {
				elements = inner.elements
			}
		}
		for _, e := range elements {
			if err := visit(Element{Key: e.key, Value: e.value, Page: n.page}); err != nil {
				return err
			}
		}
	}
	return nil
}

// GuessPageSize returns the page size of a file whose meta pages may be damaged: the size at which
// most of the first 256 pages carry their own number. It returns [ErrNoMetaPage] if no page does.
func GuessPageSize(r io.ReaderAt, size int64) (int64, error) {
	const looked = 256
	best, most := int64(0), 0
	for at := int64(minPageSize); at <= maxPageSize; at <<= 1 {
		hits := 0
		for page := int64(1); page < looked && (page+1)*at <= size; page++ {
			var b [8]byte
			if _, err := r.ReadAt(b[:], page*at); err != nil {
				return 0, err
			}
			if binary.NativeEndian.Uint64(b[:]) == uint64(page) {
				hits++
			}
		}
		if hits > most {
			best, most = at, hits
		}
	}
	if most == 0 {
		return 0, ErrNoMetaPage
	}
	return best, nil
}
