package pages

import (
	"bytes"
	"encoding/binary"
)

const (
	maxKey     = 32768 // bytes, as in bbolt
	flagBucket = 0x01  // of a leaf's element
)

type node struct {
	*pageSpan
	elements []element
}

// An element is an entry of a leaf, with a value, or of a branch, with a child.
type element struct {
	key    []byte
	value  Value
	bucket bool
	child  childLink
}

// A childLink refers to a page. It caches the page after its check.
type childLink struct {
	page uint64
	node *node
	age  int // of the file's cache when node was kept
}

func (n *node) isLeaf() bool { return n.flags == flagLeaf }

// decodeInline returns the page of an inline bucket, which follows the header in the bucket's value.
func (v Value) decodeInline() (*node, error) {
	if v.n < bucketSize+headerSize || v.n > v.run.f.PageSize {
		return nil, v.run.damageAt(v.at, "a bucket of %d bytes", v.n)
	}
	b, err := v.Bytes()
	if err != nil {
		return nil, err
	}
	r := &pageSpan{
		f: v.run.f, page: v.run.page, base: v.run.base + v.at + bucketSize, inline: true,
		size: v.n - bucketSize, buf: b[bucketSize:],
	}
	order := binary.NativeEndian
	r.flags, r.count = order.Uint16(r.buf[8:]), int(order.Uint16(r.buf[10:]))
	if order.Uint64(r.buf) != 0 || order.Uint32(r.buf[12:]) != 0 || r.flags != flagLeaf {
		return nil, r.damageAt(0, "invalid header of an inline bucket's page")
	}
	return r.decode()
}

// decode checks a branch or leaf element by element. With a [Damage] it returns the elements before the damage.
func (p *pageSpan) decode() (*node, error) {
	n := &node{pageSpan: p}
	at := headerSize + int64(p.count)*elementSize // offset at which the next key must be
	switch {
	case p.flags != flagBranch && p.flags != flagLeaf:
		return nil, p.damageAt(8, "type %#x, expected a branch or leaf", p.flags)
	case at > p.size:
		return nil, p.damageAt(10, "%d elements are out of bounds", p.count)
	}
	if err := p.readBuffer(); err != nil {
		return nil, err
	}
	table, err := p.bytes(headerSize, at-headerSize)
	if err != nil {
		return nil, err
	}
	n.elements = make([]element, 0, p.count)
	for ; len(table) > 0; table = table[elementSize:] {
		e, end, err := n.decodeElement(table[:elementSize], at)
		if err != nil {
			return n, err
		}
		n.elements, at = append(n.elements, e), end
	}
	return n, n.checkSize(at)
}

// decodeElement decodes the next element, whose key must be at the given offset. It returns the offset of the
// element after it.
func (n *node) decodeElement(b []byte, at int64) (e element, end int64, err error) {
	order := binary.NativeEndian
	place := headerSize + int64(len(n.elements))*elementSize
	pos, ksize, vsize := order.Uint32(b), order.Uint32(b[4:]), uint32(0)
	if n.isLeaf() {
		pos, ksize, vsize = order.Uint32(b[4:]), order.Uint32(b[8:]), order.Uint32(b[12:])
	}
	end = at + int64(ksize) + int64(vsize)
	switch {
	case place+int64(pos) != at:
		return e, 0, n.damageAt(place, "element %d is at %d, expected at %d", len(n.elements), place+int64(pos), at)
	case ksize == 0 || ksize > maxKey || end > n.size:
		return e, 0, n.damageAt(place, "element %d (key %d, value %d bytes) is out of bounds",
			len(n.elements), ksize, vsize)
	}
	if e.key, err = n.bytes(at, int64(ksize)); err != nil {
		return e, 0, err
	}
	if last := len(n.elements) - 1; last >= 0 && bytes.Compare(n.elements[last].key, e.key) >= 0 {
		return e, 0, n.damageAt(at, "key %d is out of order", last+1)
	}
	if n.isLeaf() {
		e.value = Value{run: n.pageSpan, at: at + int64(ksize), n: int64(vsize)}
		e.bucket = order.Uint32(b) == flagBucket
		if !e.bucket && order.Uint32(b) != 0 {
			return e, 0, n.damageAt(place, "element %d has flags %#x", len(n.elements), order.Uint32(b))
		}
	} else if e.child.page = order.Uint64(b[8:]); !n.f.isDataPage(e.child.page) {
		return e, 0, n.damageAt(place+8, "it refers to page %d, which is out of bounds", e.child.page)
	}
	return e, end, nil
}

// checkSize returns a [Damage] unless the span is exactly as long as its elements and not empty.
// Only the root of a file without buckets may be empty.
func (n *node) checkSize(used int64) error {
	switch {
	case n.inline && used != n.size, !n.inline && (used-1)/n.f.PageSize != n.size/n.f.PageSize-1:
		return n.damageAt(10, "%d elements take %d of %d bytes", n.count, used, n.size)
	case n.count == 0 && !n.inline && (n.page != n.f.Root || !n.isLeaf()):
		return n.damageAt(10, "it is empty")
	}
	return nil
}

// find returns the index of the first element whose key is not less than key, and reports whether it is that key.
func (n *node) find(key []byte) (int, bool) {
	low, high := 0, len(n.elements)
	for low < high {
		mid := int(uint(low+high) >> 1)
		switch bytes.Compare(n.elements[mid].key, key) {
		case 0:
			return mid, true
		case -1:
			low = mid + 1
		default:
			high = mid
		}
	}
	return low, false
}

// checkKeyRange returns a [Damage] unless the node's keys are in the range of its parent: from low
// up to, but not including, high. nil means no bound.
func (n *node) checkKeyRange(low, high []byte) error {
	if len(n.elements) == 0 {
		return nil
	}
	first, last := n.elements[0].key, n.elements[len(n.elements)-1].key
	if low != nil && bytes.Compare(first, low) < 0 || high != nil && bytes.Compare(last, high) >= 0 {
		return n.damageAt(headerSize, "its keys are not between those of the page above")
	}
	return nil
}

// bucketSize is the length in bytes of a bucket's header in its parent's leaf: root page and sequence. If the
// root page is 0, the bucket's only page follows the header (an inline bucket).
const bucketSize = 16
