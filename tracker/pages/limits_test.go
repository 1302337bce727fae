package pages

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
)

// TestLimits: a size at a limit is accepted, and one beyond it is damage. Headers claim the sizes.
func TestLimits(t *testing.T) {
	order := binary.NativeEndian
	file := func(pageSize int, content []byte) *File {
		return &File{Meta: Meta{PageSize: int64(pageSize), End: math.MaxUint64}, r: bytes.NewReader(content),
			size: math.MaxInt64}
	}
	page := func(size int, overflow uint32) []byte {
		b := make([]byte, size)
		order.PutUint64(b, 5)
		order.PutUint32(b[12:], overflow)
		return b
	}
	span := func(overflow uint32, limit uint64) error {
		const size = 1 << 12
		_, err := file(size, append(make([]byte, 5*size), page(size, overflow)...)).load(5, limit)
		return err
	}
	most := uint32(maxSpan>>12 - 1) // pages after the first
	key := func(size int) error {
		n := &node{pageSpan: &pageSpan{f: file(1<<12, nil), flags: flagLeaf, size: 1 << 20, buf: make([]byte, 1<<20)}}
		b := make([]byte, elementSize)
		order.PutUint32(b[4:], elementSize)
		order.PutUint32(b[8:], uint32(size))
		_, _, err := n.decodeElement(b, headerSize+elementSize)
		return err
	}
	element := func(value int) error {
		n := &node{pageSpan: &pageSpan{f: file(1<<12, nil), flags: flagLeaf, size: 1 << 12, buf: make([]byte, 1<<12)}}
		b := make([]byte, elementSize)
		order.PutUint32(b[4:], elementSize)
		order.PutUint32(b[8:], 1)
		order.PutUint32(b[12:], uint32(value))
		_, _, err := n.decodeElement(b, headerSize+elementSize)
		return err
	}
	free := func(count uint16) error {
		b := page(1<<10, 0)
		order.PutUint16(b[8:], flagFreelist)
		order.PutUint16(b[10:], count)
		for i := range (1<<10 - headerSize) / 8 {
			order.PutUint64(b[headerSize+8*i:], uint64(i+6))
		}
		f := file(1<<10, append(make([]byte, 5<<10), b...))
		f.Freelist = 5
		_, _, err := f.readFreelist()
		return err
	}
	meta := func(pageSize uint32) error {
		b := make([]byte, headerSize+metaSize)
		m := metaPage{bytes: b[headerSize:]}
		order.PutUint32(m.bytes, metaMagic)
		order.PutUint32(m.bytes[4:], metaVersion)
		order.PutUint32(m.bytes[8:], pageSize)
		order.PutUint64(m.bytes[metaSummed:], m.checksum())
		m, err := readMeta(bytes.NewReader(b), 0)
		if err == nil && !m.valid {
			err = &Damage{Why: "not valid"}
		}
		return err
	}
	schematest.Limits{
		{"pages up to an end", "10 overflow pages are out of bounds", span(9, 15), span(10, 15)},
		{"pages of a span", "2097408 overflow pages", span(most, math.MaxUint64), span(most+1, math.MaxUint64)},
		{"a key", "element 0 (key 32769, value 0 bytes)", key(maxKey), key(maxKey + 1)},
		{"no key", "element 0 (key 0", key(1), key(0)},
		{"a value", "out of bounds", element(1<<12 - headerSize - elementSize - 1),
			element(1<<12 - headerSize - elementSize)},
		{"free pages", "127 free pages are out of bounds", free(126), free(127)},
		{"the largest page", "not valid", meta(maxPageSize), meta(2 * maxPageSize)},
		{"the smallest page", "not valid", meta(minPageSize), meta(minPageSize / 2)},
	}.Check(t)
}

// TestDepthLimit: a tree of the largest depth is accepted, and a deeper one is damage, for each way to read it.
func TestDepthLimit(t *testing.T) {
	f := &File{Meta: Meta{PageSize: 1 << 12, End: 10}, r: bytes.NewReader(nil), size: 10 << 12}
	for name, read := range map[string]func(depth int) error{
		"a traversal": func(depth int) error {
			return (&traversal{f: f}).traverseTree(5, keyRange{}, depth, nil)
		},
		"a cursor": func(depth int) error {
			n := &node{pageSpan: &pageSpan{f: f}, elements: make([]element, 1)}
			n.elements[0].child.page = 5
			c := &Cursor{b: &Bucket{f: f}}
			for range depth - 1 {
				c.stack = append(c.stack, position{node: n})
			}
			_, err := c.loadNext()
			return err
		},
	} {
		at, beyond := read(maxDepth), read(maxDepth+1)
		if at == nil || strings.Contains(at.Error(), "too deep") || beyond == nil ||
			!strings.Contains(beyond.Error(), "the tree is too deep") {
			t.Errorf("%s: at the limit %v, one beyond %v", name, at, beyond)
		}
	}
}

// TestBufferLimit: a span is read in one piece up to a length; its bytes are the same on both sides.
func TestBufferLimit(t *testing.T) {
	const size = 1 << 10
	content := make([]byte, maxBuffered+2*size)
	for i := range content {
		content[i] = byte(i ^ i>>8)
	}
	for _, n := range []int64{maxBuffered - size, maxBuffered, maxBuffered + size} {
		r := &pageSpan{f: &File{Meta: Meta{PageSize: size}, r: bytes.NewReader(content)}, size: size}
		if err := r.readBuffer(); err != nil {
			t.Fatal(err)
		}
		r.size = n
		if err := r.readBuffer(); err != nil {
			t.Fatal(err)
		}
		if whole := int64(len(r.buf)) == n; whole != (n <= maxBuffered) {
			t.Errorf("%d bytes in one piece: %t", n, whole)
		}
		b, err := r.bytes(size-10, n-size+10)
		if err != nil || !bytes.Equal(b, content[size-10:n]) {
			t.Errorf("other bytes of %d: %v", n, err)
		}
	}
}
