package pages

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io"
	"math/bits"
)

// The layout of a meta page: 16 bytes of page header, then these fields in the byte order of the
// machine that wrote it. The last field is the FNV-64a checksum of those before it.
const (
	metaMagic   = 0xED0CDAED
	metaVersion = 2
	metaSummed  = 56
	metaSize    = metaSummed + 8
	minPageSize = 1 << 10
	maxPageSize = 1 << 24
)

const firstPage = 2

// Meta has the fields of a meta page.
type Meta struct {
	PageSize int64
	Root     uint64 // page numbers
	Freelist uint64
	End      uint64 // first page that is not in use
	Txid     uint64 // number of the commit; the next one writes the other meta page
}

// metaPage is a meta page as read, valid or not.
type metaPage struct {
	Meta
	bytes []byte // the fields, nil if the file is too short
	valid bool
}

func readMeta(r io.ReaderAt, at int64) (m metaPage, err error) {
	b := make([]byte, headerSize+metaSize)
	if _, err := r.ReadAt(b, at); errors.Is(err, io.EOF) {
		return m, nil
	} else if err != nil {
		return m, err
	}
	order := binary.NativeEndian
	m.bytes = b[headerSize:]
	m.Meta = Meta{
		PageSize: int64(order.Uint32(m.bytes[8:])),
		Root:     order.Uint64(m.bytes[16:]),
		Freelist: order.Uint64(m.bytes[32:]),
		End:      order.Uint64(m.bytes[40:]),
		Txid:     order.Uint64(m.bytes[48:]),
	}
	m.valid = m.isBolt() && order.Uint32(m.bytes[4:]) == metaVersion &&
		m.checksum() == order.Uint64(m.bytes[metaSummed:]) && m.PageSize >= minPageSize && m.PageSize <= maxPageSize &&
		m.PageSize&(m.PageSize-1) == 0
	return m, nil
}

func (m metaPage) checksum() uint64 {
	h := fnv.New64a()
	_, _ = h.Write(m.bytes[:metaSummed])
	return h.Sum64()
}

// isBolt reports whether bbolt wrote the page, on a machine of this byte order.
func (m metaPage) isBolt() bool {
	return m.bytes != nil && binary.NativeEndian.Uint32(m.bytes) == metaMagic
}

// isOtherByteOrder reports whether bbolt wrote the page on a machine of the other byte order.
func (m metaPage) isOtherByteOrder() bool {
	return m.bytes != nil && binary.NativeEndian.Uint32(m.bytes) == bits.ReverseBytes32(metaMagic)
}

// mayBeNewer reports whether an invalid meta page may belong to the commit after txid. If it has the number of
// the commit before, it may only if its checksum fits the newer number: then just the number is damaged.
func (m metaPage) mayBeNewer(txid uint64) bool {
	if m.bytes == nil || m.Txid != txid-1 {
		return true
	}
	other := metaPage{bytes: bytes.Clone(m.bytes)}
	binary.NativeEndian.PutUint64(other.bytes[48:], txid+1)
	return other.checksum() == binary.NativeEndian.Uint64(m.bytes[metaSummed:])
}

// The sizes of a page's header and of its elements, and the flags for its type.
const (
	headerSize  = 16
	elementSize = 16

	flagBranch   = 0x01
	flagLeaf     = 0x02
	flagFreelist = 0x10
)
