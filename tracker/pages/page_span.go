package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// maxBuffered is the length in bytes of the longest span that is read at once. Of a longer one, which holds
// large values, only the first page is buffered, and keys and values are read one by one.
const maxBuffered = 256 << 10

// maxSpan is a bound on the length of a span in bytes: four of bbolt's largest values, with keys.
const maxSpan = 4*(1<<31) + 1<<20

// A pageSpan is a page with its overflow pages, or the page of an inline bucket.
type pageSpan struct {
	f      *File
	page   uint64
	base   int64  // offset in the file
	size   int64  // in bytes
	buf    []byte // first bytes
	inline bool

	flags uint16
	count int
}

// load reads the first page of a span, and checks its number and its length. The span must end before page limit.
func (f *File) load(page, limit uint64) (*pageSpan, error) {
	r := &pageSpan{f: f, page: page, base: int64(page) * f.PageSize, size: f.PageSize}
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
		return nil, r.damageAt(12, "%d overflow pages are out of bounds", overflow)
	}
	r.size += int64(overflow) * f.PageSize
	return r, nil
}

// readBuffer reads the first page of the span, or all of the span if it is not longer than maxBuffered.
func (p *pageSpan) readBuffer() error {
	if int64(len(p.buf)) == p.size || len(p.buf) > 0 && p.size > maxBuffered {
		return nil
	}
	p.buf = make([]byte, p.size)
	if n, err := p.f.r.ReadAt(p.buf, p.base); int64(n) < p.size {
		return p.readError(int64(n), err)
	}
	return nil
}

func (p *pageSpan) pageCount() uint64 { return uint64(p.size / p.f.PageSize) }

// bytes returns n bytes of the span at an offset. They must be inside the span, and callers must not modify them.
func (p *pageSpan) bytes(at, n int64) ([]byte, error) {
	if at+n <= int64(len(p.buf)) {
		return p.buf[at : at+n : at+n], nil
	}
	b := make([]byte, n)
	if got, err := p.f.r.ReadAt(b, p.base+at); int64(got) < n {
		return nil, p.readError(at+int64(got), err)
	}
	return b, nil
}

// A Value is the value of a key in a leaf. Its bytes are read on demand, while the file must not change.
type Value struct {
	run *pageSpan
	at  int64
	n   int64
}

// Len returns the length in bytes.
func (v Value) Len() int64 { return v.n }

// Bytes returns the whole value. Callers must not modify it.
func (v Value) Bytes() ([]byte, error) { return v.Head(v.n) }

// Head returns the first n bytes, or the whole value if it is shorter. Callers must not modify them.
func (v Value) Head(n int64) ([]byte, error) {
	if v.run == nil {
		return nil, nil
	}
	return v.run.bytes(v.at, min(n, v.n))
}

func (p *pageSpan) damageAt(at int64, format string, args ...any) error {
	return &Damage{Page: p.page, Offset: p.base + at, Why: fmt.Sprintf(format, args...)}
}

// readError returns a [Damage] if the file ends too early, otherwise the wrapped read error.
func (p *pageSpan) readError(at int64, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return p.damageAt(at, "the file ends here")
	}
	return fmt.Errorf("read page %d: %w", p.page, err)
}
