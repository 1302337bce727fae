package pages

import (
	"bytes"
	"encoding/binary"

	"github.com/podtrack/podtrack/tracker/internal/portion"
)

// A Bucket gives access to single keys of a bucket. Each page on the way to a key is checked, also against the
// key range in its parent.
type Bucket struct {
	Sequence uint64 // last number that NextSequence returned
	f        *File
	root     childLink
	inline   *node
	lookup   *Cursor
	lastPath []position // from the root to the leaf of the last search
}

// OpenBucket returns the bucket of that name, or nil if it does not exist.
func (f *File) OpenBucket(name string) (*Bucket, error) {
	if f.buckets == nil {
		f.buckets = &Bucket{f: f, root: childLink{page: f.Root}}
	}
	e, err := f.buckets.NewCursor().seek([]byte(name))
	if err != nil || e == nil || string(e.key) != name || !e.bucket {
		return nil, err
	}
	return f.openElement(*e)
}

// openElement reads the header of the bucket that the element holds.
func (f *File) openElement(e element) (*Bucket, error) {
	if !e.bucket || e.value.n < bucketSize {
		return nil, e.value.run.damageAt(e.value.at, "not a bucket")
	}
	head, err := e.value.Head(bucketSize)
	if err != nil {
		return nil, err
	}
	b := &Bucket{f: f, root: childLink{page: binary.NativeEndian.Uint64(head)},
		Sequence: binary.NativeEndian.Uint64(head[8:])}
	switch {
	case b.root.page == 0:
		b.inline, err = e.value.decodeInline()
	case e.value.n != bucketSize || !f.isDataPage(b.root.page):
		err = e.value.run.damageAt(e.value.at, "the bucket's root is page %d", b.root.page)
	}
	return b, err
}

// Get returns the value of a key. It reports in ok whether the key exists.
func (b *Bucket) Get(key []byte) (v Value, ok bool, err error) {
	if b.lookup == nil {
		b.lookup = b.NewCursor()
	}
	e, err := b.lookup.seek(key)
	if err != nil || e == nil || string(e.key) != string(key) {
		return Value{}, false, err
	}
	return e.value, true, nil
}

// loadChild returns the page that a link leads to, and checks it when it is loaded. Its keys must
// be in the range from low up to, but not including, high.
func (f *File) loadChild(l *childLink, low, high []byte) (*node, error) {
	if l.node != nil && l.age == f.age {
		return l.node, nil
	}
	n, err := f.loadNode(l.page)
	if err != nil {
		return nil, err
	}
	if err := n.checkKeyRange(low, high); err != nil {
		return nil, err
	}
	size := int64(len(n.buf) + 80*len(n.elements))
	if f.cached += size; f.cached > portion.Cached {
		f.cached, f.age = size, f.age+1
	}
	l.node, l.age = n, f.age
	return n, nil
}

type position struct {
	*node
	i int
}

// GetSorted calls visit with the value of each of n keys that the bucket has. The keys must ascend. It reads each page
// once, into the memory of the page before: a value is valid only during the call.
func (b *Bucket) GetSorted(n int, key func(i int) []byte, visit func(i int, v Value) error) error {
	i := 0
	getFrom := func(leaf *node, high []byte) error {
		for ; i < n && (high == nil || bytes.Compare(key(i), high) < 0); i++ {
			at, found := leaf.find(key(i))
			if !found {
				continue
			}
			if err := visit(i, leaf.elements[at].value); err != nil {
				return err
			}
		}
		return nil
	}
	if b.inline != nil {
		return getFrom(b.inline, nil)
	}
	var spare []element
	return b.visitLeaves(
		func(high []byte) bool { return i < n && (high == nil || bytes.Compare(key(i), high) < 0) },
		func(l *Leaf) (bool, error) {
			leaf, err := l.run.decodeInto(spare)
			if err == nil {
				spare = leaf.elements
				err = leaf.checkKeyRange(l.Low, l.High)
			}
			if err == nil {
				err = getFrom(leaf, l.High)
			}
			return i < n, err
		})
}
