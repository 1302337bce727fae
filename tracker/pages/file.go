package pages

import (
	"fmt"
	"io"
)

// File is the state of a file as of its newest valid meta page. It is for one
// goroutine, and for as long as nobody writes to the file.
type File struct {
	Meta
	r    io.ReaderAt
	size int64

	newerLost bool // see [File.HasLostCommit]

	cached int64 // bytes of pages that links keep
	age    int   // raised when all of them are to be forgotten
}

// Open reads the meta pages of a file of that many bytes. Its error is
// [ErrNoMetaPage] where nothing in the file is bbolt's, a [Damage], or of reading.
func Open(r io.ReaderAt, size int64) (*File, error) {
	metas, err := readMetas(r, size)
	if err != nil {
		return nil, err
	}
	f := &File{r: r, size: size}
	if metas[1].valid && (!metas[0].valid || metas[1].Txid > metas[0].Txid) {
		metas[0], metas[1] = metas[1], metas[0]
	}
	switch newest, other := metas[0], metas[1]; {
	case newest.valid:
		f.Meta, f.newerLost = newest.Meta, !other.valid && other.mayBeNewer(newest.Txid)
	case newest.isOtherByteOrder() || other.isOtherByteOrder():
		return nil, &Damage{Why: "it was written on a machine of the other byte order; export a bundle's runs there as npz, or copy them by their specs"}
	case newest.isBolt() || other.isBolt():
		return nil, &Damage{Why: "no valid meta page"}
	default:
		return nil, ErrNoMetaPage
	}
	return f, f.checkBounds()
}

// Clone is the same state for another goroutine.
func (f *File) Clone() *File {
	return &File{Meta: f.Meta, r: f.r, size: f.size, newerLost: f.newerLost}
}

// readMetas reads both meta pages. The second is at a place that only the first
// tells, if that is valid: else it is where one says the place that it is at.
func readMetas(r io.ReaderAt, size int64) (metas [2]metaPage, err error) {
	if metas[0], err = readMeta(r, 0); err != nil {
		return metas, err
	}
	for at := int64(minPageSize); at <= maxPageSize && at < size; at <<= 1 {
		if metas[0].valid && at != metas[0].PageSize {
			continue
		}
		m, err := readMeta(r, at)
		if err != nil {
			return metas, err
		}
		if m.valid = m.valid && m.PageSize == at; m.valid || metas[0].valid {
			metas[1] = m
		}
	}
	return metas, nil
}

// checkBounds says whether what the meta page says is inside the file. A freelist of
// page 2⁶⁴−1 is none at all: bbolt would write one as it opens the file, and
// podtrack's stores always have one.
func (f *File) checkBounds() error {
	switch {
	case f.size < 2*f.PageSize || f.End > uint64(f.size/f.PageSize):
		return &Damage{Offset: f.size, Why: fmt.Sprintf("cut off: %d bytes of %d pages of %d bytes", f.size, f.End, f.PageSize)}
	case !f.isDataPage(f.Root):
		return &Damage{Why: "the root page is out of bounds"}
	case !f.isDataPage(f.Freelist):
		return &Damage{Why: "the freelist is out of bounds"}
	}
	return nil
}

// isDataPage says whether a page is one in use that is no meta page.
func (f *File) isDataPage(page uint64) bool { return page >= firstPage && page < f.End }

// HasLostCommit says whether the other meta page is invalid and may be that of a
// later commit, which then is lost: this is the state before it.
func (f *File) HasLostCommit() bool { return f.newerLost }
