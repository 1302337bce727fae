package tracker

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
)

// bbolt's meta page: 16 bytes of page header, then these fields in the
// machine's byte order, the last being the FNV-64a of those before it.
const (
	metaOffset    = 16
	metaSize      = 64
	metaMagic     = 0xED0CDAED
	metaVersion   = 2
	minPageSize   = 1 << 10
	maxPageSize   = 1 << 24
	firstDataPage = 2
)

// meta is what a meta page says of the file.
type meta struct {
	pageSize int64
	root     uint64 // page numbers
	freelist uint64
	end      uint64 // the first page that is not in use
	txid     uint64
}

// preflight refuses what bbolt must not see: it makes a database of an empty
// file, and reads beyond the end of one that was cut off.
func (s *Store) preflight(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("open %s: %w", s.path, err)
	}
	if info.Size() == 0 {
		return notStore(s.path, "the file is empty")
	}
	m, found, err := newestMeta(f, info.Size())
	switch {
	case err != nil:
		return fmt.Errorf("read %s: %w", s.path, err)
	case !found:
		return notStore(s.path, "no valid meta page")
	}
	if why := m.fault(info.Size()); why != "" {
		return notStore(s.path, why)
	}
	return nil
}

// fault says what makes the file unusable although its meta page is valid. A
// freelist of page 2⁶⁴−1 is none at all: bbolt would write one as it opens the
// file, and podtrack's stores always have one.
func (m meta) fault(size int64) string {
	switch {
	case size < 2*m.pageSize || m.end > uint64(size/m.pageSize):
		return fmt.Sprintf("cut off: %d bytes of %d pages of %d bytes", size, m.end, m.pageSize)
	case m.root < firstDataPage || m.root >= m.end:
		return "the root page is out of bounds"
	case m.freelist < firstDataPage || m.freelist >= m.end:
		return "the freelist is out of bounds"
	}
	return ""
}

// newestMeta is the valid meta page of the latest transaction, which is the one
// that bbolt goes by. One is at the start, the other a page of unknown size later.
func newestMeta(f io.ReaderAt, size int64) (newest meta, found bool, err error) {
	take := func(m meta, ok bool) {
		if ok && (!found || m.txid > newest.txid) {
			newest, found = m, true
		}
	}
	first, ok, err := readMeta(f, 0)
	if err != nil {
		return meta{}, false, err
	}
	take(first, ok)
	for at := int64(minPageSize); at <= maxPageSize && at < size; at <<= 1 {
		if first.pageSize != 0 && at != first.pageSize {
			continue
		}
		second, ok, err := readMeta(f, at)
		if err != nil {
			return meta{}, false, err
		}
		take(second, ok && second.pageSize == at)
	}
	return newest, found, nil
}

// readMeta reads the meta page at that offset; ok says that it is a valid one.
func readMeta(f io.ReaderAt, at int64) (m meta, ok bool, err error) {
	var page [metaOffset + metaSize]byte
	if _, err := f.ReadAt(page[:], at); errors.Is(err, io.EOF) {
		return meta{}, false, nil
	} else if err != nil {
		return meta{}, false, err
	}
	b := page[metaOffset:]
	order := binary.NativeEndian
	sum := fnv.New64a()
	_, _ = sum.Write(b[:56])
	m = meta{
		pageSize: int64(order.Uint32(b[8:])),
		root:     order.Uint64(b[16:]),
		freelist: order.Uint64(b[32:]),
		end:      order.Uint64(b[40:]),
		txid:     order.Uint64(b[48:]),
	}
	if order.Uint32(b) != metaMagic || order.Uint32(b[4:]) != metaVersion || order.Uint64(b[56:]) != sum.Sum64() {
		return meta{}, false, nil
	}
	if m.pageSize < minPageSize || m.pageSize > maxPageSize || m.pageSize&(m.pageSize-1) != 0 {
		return meta{}, false, nil
	}
	return m, true, nil
}
