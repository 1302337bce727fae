// Package pages is podtrack's own: it reads the files that bbolt writes, without bbolt. bbolt trusts the file:
// on a damaged one it hangs, faults or returns wrong results.
//
// Any bytes are accepted; the results are keys and values, or a [Damage] that names the page, the place and the reason.
//
// [Open] finds the newest valid meta page. A [File] is the state that it names; the caller must prevent writes
// to the file. [File.Traverse] visits the whole tree, each page once, and compares the pages in use with the
// list of free ones. [File.OpenBucket] and [Cursor] find keys, and check only the pages on the way. [Scan]
// reads every page of the file separately, for contents that a broken tree does not lead to.
//
// # Rules
//
//   - A number from the file is compared with its bounds before it is used, in 64
//     bits, in which no sum of such numbers overflows.
//   - Pages must have exactly the form in which bbolt writes them: elements without gaps,
//     keys ascending, exactly as many pages as necessary, all leaves of a tree at one
//     depth, no bucket within a bucket. So even a harmless change of a header is
//     detected.
//   - Memory is bounded by the page size, maxBuffered and the number of pages, time by
//     the size of the file. Values are read on demand.
//   - Contents are not verified: only meta pages have checksums.
package pages

import (
	"errors"
	"fmt"
	"io"
)

// ErrNoMetaPage means that a file has no bbolt meta page.
var ErrNoMetaPage = errors.New("no meta page")

// A Damage is an error that says what is wrong with a page.
type Damage struct {
	Page   uint64
	Offset int64 // of the damage in the file
	Why    string
}

func (d *Damage) Error() string {
	return fmt.Sprintf("page %d, byte %d: %s", d.Page, d.Offset, d.Why)
}

// A File is the state of a file at its newest valid meta page. It is for one goroutine, and valid only while
// the file is not written to.
type File struct {
	Meta
	r    io.ReaderAt
	size int64

	newerLost bool // see [File.HasLostCommit]

	buckets *Bucket // the bucket of all others, nil until one of them is opened
	cached  int64   // bytes of pages that links cache
	age     int     // incremented to invalidate all cached pages
}

// Open reads the meta pages of a file of size bytes. It returns [ErrNoMetaPage] if bbolt did not
// write the file, a [Damage] if it is damaged, or a read error.
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
		return nil, &Damage{Why: "it was written on a machine of the other byte order; on such a machine, export the runs " +
			"as npz or print their specs"}
	case newest.isBolt() || other.isBolt():
		return nil, &Damage{Why: "no valid meta page"}
	default:
		return nil, ErrNoMetaPage
	}
	return f, f.checkBounds()
}

// Clone returns a File of the same state for another goroutine.
func (f *File) Clone() *File {
	return &File{Meta: f.Meta, r: f.r, size: f.size, newerLost: f.newerLost}
}

// readMetas reads both meta pages. A valid first page gives the offset of the second. Otherwise the
// second is searched for at each possible page size, which it must confirm.
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

// checkBounds returns a [Damage] if a page that the meta page names is outside the file. bbolt can do without a
// stored freelist, and then names page 2⁶⁴−1; that is refused, since podtrack's stores always have one.
func (f *File) checkBounds() error {
	switch {
	case f.size < 2*f.PageSize || f.End > uint64(f.size/f.PageSize):
		return &Damage{Offset: f.size,
			Why: fmt.Sprintf("truncated: it has %d bytes, and needs %d pages of %d bytes", f.size, f.End, f.PageSize)}
	case !f.isDataPage(f.Root):
		return &Damage{Why: "the root page is out of bounds"}
	case !f.isDataPage(f.Freelist):
		return &Damage{Why: "the freelist is out of bounds"}
	}
	return nil
}

func (f *File) isDataPage(page uint64) bool { return page >= firstPage && page < f.End }

// HasLostCommit reports whether the other meta page is invalid and may belong to a later commit. If
// so, that commit is lost and f is the state before it.
func (f *File) HasLostCommit() bool { return f.newerLost }
