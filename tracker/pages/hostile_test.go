package pages

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema/schematest"
)

// countingReader counts the bytes that are read of a file.
type countingReader struct {
	io.ReaderAt
	read int64
}

func (c *countingReader) ReadAt(b []byte, at int64) (int, error) {
	c.read += int64(len(b))
	return c.ReaderAt.ReadAt(b, at)
}

// fixChecksums makes both meta pages valid again.
func fixChecksums(b []byte) {
	for _, at := range []int{headerSize, minPageSize + headerSize} {
		m := metaPage{bytes: b[at:]}
		binary.NativeEndian.PutUint64(b[at+metaSummed:], m.checksum())
	}
}

// readEveryWay reads a file in every way. The work must be bounded by its size.
func readEveryWay(t *testing.T, what any, b []byte) {
	t.Helper()
	m := &countingReader{ReaderAt: bytes.NewReader(b)}
	size := int64(len(b))
	within := func(factor int64) {
		t.Helper()
		if m.read > factor*size+1<<20 {
			t.Fatalf("%v: %d bytes read of a file of %d", what, m.read, size)
		}
		m.read = 0
	}
	f, err := Open(m, size)
	onlyDamage(t, what, err)
	if err == nil {
		err = f.Traverse(TraverseOptions{OnDamage: func(string, *Damage) error { return nil }})
		onlyDamage(t, what, err)
		within(3)
		seek(t, what, f)
		m.read = 0
	}
	_, err = GuessPageSize(m, size)
	onlyDamage(t, what, err)
	within(2)
	ok(t, Scan(m, size, minPageSize, func(e Element) error { _, err := e.Value.Head(20); return err }))
	within(12)
}

// seek looks for every possible key, and iterates over each bucket once.
func seek(t *testing.T, what any, f *File) {
	for _, name := range []string{"deep", "few", "none", "large"} {
		b, err := f.OpenBucket(name)
		onlyDamage(t, what, err)
		if b == nil || err != nil {
			continue
		}
		c := b.NewCursor()
		steps := 0
		for key, _, err := c.Seek(nil); key != nil || err != nil; key, _, err = c.Next() {
			if onlyDamage(t, what, err); err != nil {
				break
			}
			if steps++; steps > 1000 {
				t.Fatalf("%v: bucket %s does not end", what, name)
			}
		}
		for i := range 40 {
			v, _, err := b.Get(fmt.Appendf(nil, "%s %06d", name, 10*i))
			onlyDamage(t, what, err)
			_, err = v.Bytes()
			onlyDamage(t, what, err)
		}
	}
}

func little(t testing.TB) []byte {
	return writeFile(t, minPageSize, numberedRows("deep", 60, 10), numberedRows("few", 2, 5),
		numberedRows("large", 2, 3000),
		numberedRows("deep", 20, 12))
}

// TestEveryByte flips a bit of each byte of a file.
func TestEveryByte(t *testing.T) {
	b := little(t)
	b = b[:open(t, b).End*minPageSize]
	for at := 0; at < len(b); at += schematest.Size(7, 1) {
		b[at] ^= 1 << (at % 8)
		readEveryWay(t, at, b)
		b[at] ^= 1 << (at % 8)
	}
}

func TestEveryTruncation(t *testing.T) {
	good := newSmallFile(t)
	end := int(open(t, good).End) * minPageSize // bbolt's files are longer
	for n := 0; n < len(good); n += minPageSize / 2 {
		_, err := Open(bytes.NewReader(good[:n]), int64(n))
		if err == nil && n < end {
			t.Errorf("%d bytes of %d are a file", n, len(good))
		}
		readEveryWay(t, n, good[:n])
	}
}

// TestStructure damages the structure in one place, which must be reported.
func TestStructure(t *testing.T) {
	order := binary.NativeEndian
	page := func(b []byte, n uint64) []byte { return b[n*minPageSize : (n+1)*minPageSize] }
	for name, c := range map[string]struct {
		spoil func(b []byte, f *File, root uint64) // root is that of bucket deep, a branch
		says  string
	}{
		"a branch that leads to itself": {func(b []byte, _ *File, root uint64) {
			order.PutUint64(page(b, root)[headerSize+8:], root)
		}, "more than one page refers to it"},
		"a child twice": {func(b []byte, _ *File, root uint64) {
			copy(page(b, root)[headerSize+8:][:8], page(b, root)[headerSize+elementSize+8:])
		}, "more than one page refers to it"},
		"a child out of bounds": {func(b []byte, f *File, root uint64) {
			order.PutUint64(page(b, root)[headerSize+8:], f.End)
		}, "out of bounds"},
		"a child far out of bounds": {func(b []byte, _ *File, root uint64) {
			order.PutUint64(page(b, root)[headerSize+8:], 1<<63)
		}, "out of bounds"},
		"children exchanged": {func(b []byte, _ *File, root uint64) {
			p := page(b, root)
			one, two := order.Uint64(p[headerSize+8:]), order.Uint64(p[headerSize+elementSize+8:])
			order.PutUint64(p[headerSize+8:], two)
			order.PutUint64(p[headerSize+elementSize+8:], one)
		}, "not between those of the page above"},
		"a page elsewhere": {func(b []byte, _ *File, root uint64) {
			order.PutUint64(page(b, root), root+1)
		}, "its header has page number"},
		"an overflow": {func(b []byte, _ *File, root uint64) {
			order.PutUint32(page(b, root)[12:], 1<<32-1)
		}, "out of bounds"},
		"a type": {func(b []byte, _ *File, root uint64) { page(b, root)[8] = 3 }, "type 0x3"},
		"many elements": {func(b []byte, _ *File, root uint64) {
			order.PutUint16(page(b, root)[10:], 1<<16-1)
		}, "elements are out of bounds"},
		"an element less": {func(b []byte, _ *File, root uint64) { page(b, root)[10]-- }, "element 0 is at"},
		"no element": {func(b []byte, _ *File, root uint64) {
			order.PutUint16(page(b, root)[10:], 0)
		}, "it is empty"},
		"a long key": {func(b []byte, _ *File, root uint64) {
			order.PutUint32(page(b, root)[headerSize+4:], 1<<31)
		}, "out of bounds"},
		"an empty key": {func(b []byte, _ *File, root uint64) {
			order.PutUint32(page(b, root)[headerSize+4:], 0)
		}, "out of bounds"},
		"a key": {func(b []byte, _ *File, root uint64) {
			k := order.Uint32(page(b, root)[headerSize:])
			page(b, root)[headerSize+k] = 0xff
		}, "out of order"},
		"a freelist elsewhere": {func(b []byte, f *File, _ uint64) {
			page(b, f.Freelist)[8] = flagLeaf
		}, "expected a freelist"},
		"a longer freelist": {func(b []byte, f *File, _ uint64) {
			order.PutUint16(page(b, f.Freelist)[10:], 5000)
		}, "out of bounds"},
		"an endless freelist": {func(b []byte, f *File, _ uint64) {
			order.PutUint16(page(b, f.Freelist)[10:], manyFree)
			order.PutUint64(page(b, f.Freelist)[headerSize:], 1<<62)
		}, "out of bounds"},
		"a free page that is in use": {func(b []byte, f *File, root uint64) {
			order.PutUint16(page(b, f.Freelist)[10:], 1)
			order.PutUint64(page(b, f.Freelist)[headerSize:], root)
		}, "in use and in the freelist"},
		"a free page that is none": {func(b []byte, f *File, _ uint64) {
			order.PutUint16(page(b, f.Freelist)[10:], 1)
			order.PutUint64(page(b, f.Freelist)[headerSize:], 1)
		}, "cannot be free"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newSmallFile(t)
			f := open(t, b)
			_, sound, err := damages(f)
			ok(t, err)
			deep, err := f.OpenBucket("deep")
			ok(t, err)
			c.spoil(b, f, deep.root.page)
			readEveryWay(t, name, b)
			found, rows, err := damages(open(t, b))
			ok(t, err)
			if len(found) == 0 || !slices.ContainsFunc(found, func(d *Damage) bool {
				return strings.Contains(d.Why, c.says)
			}) {
				t.Errorf("found %v, which does not say %q", found, c.says)
			}
			if len(rows) < len(sound)-400 || !strings.HasPrefix(rows[len(rows)-1], "large/") {
				t.Errorf("the walk did not go on: %d rows of %d", len(rows), len(sound))
			}
		})
	}
}

// TestForeign opens files that bbolt did not write, or on a machine of the other byte order.
func TestForeign(t *testing.T) {
	text := bytes.Repeat([]byte("notes "), 1000)
	if _, err := Open(bytes.NewReader(text), int64(len(text))); !errors.Is(err, ErrNoMetaPage) {
		t.Errorf("text: %v", err)
	}
	b := little(t)
	for _, at := range []int{headerSize, minPageSize + headerSize} {
		slices.Reverse(b[at : at+4])
	}
	if _, err := Open(bytes.NewReader(b), int64(len(b))); err == nil || !strings.Contains(err.Error(), "byte order") {
		t.Errorf("other byte order: %v", err)
	}
}

// TestLostCommit damages each byte of each meta page. Damage of the newer one loses a commit.
func TestLostCommit(t *testing.T) {
	good := little(t)
	newer := open(t, good)
	if newer.HasLostCommit() {
		t.Fatal("a sound file lost a commit")
	}
	for page := range uint64(2) {
		for at := range metaSize {
			for _, flip := range []byte{0x01, 0x02, 0x06, 0x80, 0xff} {
				b := bytes.Clone(good)
				b[int(page)*minPageSize+headerSize+at] ^= flip
				f := open(t, b)
				lost := page == newer.Txid%2
				if want := newer.Txid; !lost && f.Txid != want || lost && f.Txid != want-1 {
					t.Fatalf("meta page %d, byte %d: commit %d", page, at, f.Txid)
				}
				// A wrong number in the older meta page does not show whether a commit was lost.
				if inNumber := at >= 48 && at < 56; f.HasLostCommit() != lost && !(inNumber && !lost) {
					t.Errorf("meta page %d, byte %d by %#x: lost is %v", page, at, flip, f.HasLostCommit())
				}
			}
		}
	}
}

func TestNestedBucketIsDamage(t *testing.T) {
	b := writeFile(t, minPageSize, numberedRows("deep", 3, 10), func(tx *bbolt.Tx) error {
		_, err := tx.Bucket([]byte("deep")).CreateBucket([]byte("inner"))
		return err
	})
	found, rows, err := damages(open(t, b))
	ok(t, err)
	if len(found) != 1 || len(rows) != 3 {
		t.Errorf("%v, %d rows", found, len(rows))
	}
}
