package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// maxBuffered is the length in bytes of the longest span that is read in one piece. Of a longer
// one, which holds large values, the first page is buffered, and keys and values are read one by
// one.
const maxBuffered = 256 << 10

// maxSpan is a bound on the length of a span in bytes: four of bbolt's largest values, with keys.
const maxSpan = 4*(1<<31) + 1<<20

// pageSpan is a page with its overflow pages, or the page of an inline bucket.
type pageSpan struct {
	f      *File
	page   uint64
	base   int64  // offset in the file
	size   int64  // in bytes
	buf    []byte // its first bytes
	inline bool

	flags uint16
	count int
}

// load reads the first page of a span, and checks its number and its length. The span must end
// before page limit.
func (f *File) load(page, limit uint64) (*pageSpan, error) { return f.loadInto(nil, page, limit) }

// loadInto loads like load, into a buffer if a page fits into it.
func (f *File) loadInto(buf []byte, page, limit uint64) (*pageSpan, error) {
	r := &pageSpan{f: f, page: page, base: int64(page) * f.PageSize, size: f.PageSize, buf: buf[:0]}
	if err := r.readBuffer(); err != nil {
		return nil, err
	}
	order := binary.NativeEndian
	id, overflow := order.Uint64(r.buf), uint64(order.Uint32(r.buf[12:]))
	r.flags, r.count = order.Uint16(r.buf[8:]), int(order.Uint16(r.buf[10:]))
	switch {
	case id != page:
		return nil, r.damageAt(0, "its header has page number %d", id)
	case overflow >= limit-page || int64(overflow) >= maxSpan/f.PageSize:
		return nil, r.damageAt(12, "%d pages after it are out of bounds", overflow)
	}
	r.size += int64(overflow) * f.PageSize
	return r, nil
}

// readBuffer reads the first page of the span, or all of the span if it is not longer than
// maxBuffered.
func (r *pageSpan) readBuffer() error {
	if int64(len(r.buf)) == r.size || len(r.buf) > 0 && r.size > maxBuffered {
		return nil
	}
	if int64(cap(r.buf)) < r.size {
		r.buf = make([]byte, r.size)
	}
	r.buf = r.buf[:r.size]
	if n, err := r.f.r.ReadAt(r.buf, r.base); int64(n) < r.size {
		return r.readError(int64(n), err)
	}
	return nil
}

// pageCount returns the number of pages of the span.
func (r *pageSpan) pageCount() uint64 { return uint64(r.size / r.f.PageSize) }

// bytes returns n bytes of the span at an offset. They must be inside the span, and callers must
// not modify them.
func (r *pageSpan) bytes(at, n int64) ([]byte, error) {
	if at+n <= int64(len(r.buf)) {
		return r.buf[at : at+n : at+n], nil
	}
	b := make([]byte, n)
	if got, err := r.f.r.ReadAt(b, r.base+at); int64(got) < n {
		return nil, r.readError(at+int64(got), err)
	}
	return b, nil
}

// A Value is the value of a key in a leaf. Its bytes are read on demand, which must be while the
// file is unchanged.
type Value struct {
	run *pageSpan
	at  int64
	n   int64
}

// Len returns the length in bytes.
func (v Value) Len() int64 { return v.n }

// Bytes returns the whole value. Callers must not modify it.
func (v Value) Bytes() ([]byte, error) { return v.Head(v.n) }

// Head returns the first n bytes, or the whole value if it is shorter. Callers must not modify
// them.
func (v Value) Head(n int64) ([]byte, error) {
	if v.run == nil {
		return nil, nil
	}
	return v.run.bytes(v.at, min(n, v.n))
}

// damageAt returns a [Damage] of the byte at the given offset of the span.
func (r *pageSpan) damageAt(at int64, format string, args ...any) error {
	return &Damage{Page: r.page, Offset: r.base + at, Why: fmt.Sprintf(format, args...)}
}

// readError returns a [Damage] if the file ends too early, or else the wrapped read error.
func (r *pageSpan) readError(at int64, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return r.damageAt(at, "the file ends here")
	}
	return fmt.Errorf("read page %d: %w", r.page, err)
}
