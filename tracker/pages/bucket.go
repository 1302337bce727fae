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
	if !f.isDataPage(l.page) {
		return nil, &Damage{Page: l.page, Why: "the page is out of bounds"}
	}
	r, err := f.load(l.page, f.End)
	if err != nil {
		return nil, err
	}
	n, err := r.decode()
	if err == nil {
		err = n.checkKeyRange(low, high)
	}
	if err != nil {
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

// A Cursor iterates over a bucket in key order. Past either end it returns a nil key and must be
// positioned again. Callers must not modify the keys and values that it returns.
type Cursor struct {
	b     *Bucket
	stack []position // from the root to a leaf
}

const usualDepth = 4

// NewCursor returns a cursor without a position.
func (b *Bucket) NewCursor() *Cursor { return &Cursor{b: b, stack: make([]position, 0, usualDepth)} }

// Last moves the cursor to the last key.
func (c *Cursor) Last() ([]byte, Value, error) {
	c.stack = c.stack[:0]
	return keyValue(c.descend(lastIndex))
}

// Seek moves the cursor to the first key that is not less than the given one, or to the first of all for nil.
func (c *Cursor) Seek(key []byte) ([]byte, Value, error) { return keyValue(c.seek(key)) }

// Next moves the cursor to the next key.
func (c *Cursor) Next() ([]byte, Value, error) { return keyValue(c.step(1)) }

// Prev moves the cursor to the previous key.
func (c *Cursor) Prev() ([]byte, Value, error) { return keyValue(c.step(-1)) }

func keyValue(e *element, err error) ([]byte, Value, error) {
	if e == nil || err != nil {
		return nil, Value{}, err
	}
	return e.key, e.value, nil
}

func lastIndex(n *node) int { return len(n.elements) - 1 }

func (c *Cursor) seek(key []byte) (*element, error) {
	if e := c.seekCached(key); e != nil {
		return e, nil
	}
	c.stack = c.stack[:0]
	e, err := c.descend(func(n *node) int {
		i, exact := n.find(key)
		if !n.isLeaf() && !exact && i > 0 {
			i-- // the child whose range contains the key
		}
		return i
	})
	if err != nil {
		return nil, err
	}
	c.b.lastPath = append(c.b.lastPath[:0], c.stack...)
	if e != nil {
		return e, nil
	}
	c.top().i-- // beyond the leaf's last key
	return c.step(1)
}

func (c *Cursor) top() *position { return &c.stack[len(c.stack)-1] }

// descend continues from the end of the stack, or from the root, down to a leaf. It returns nil if
// the leaf has no element of the chosen index.
func (c *Cursor) descend(choose func(*node) int) (*element, error) {
	for {
		n, err := c.loadNext()
		if err != nil {
			c.stack = c.stack[:0]
			return nil, err
		}
		if c.stack = append(c.stack, position{n, choose(n)}); n.isLeaf() {
			return c.current(), nil
		}
	}
}

// loadNext returns the page below the end of the stack, or the root.
func (c *Cursor) loadNext() (*node, error) {
	if len(c.stack) == 0 {
		if c.b.inline != nil {
			return c.b.inline, nil
		}
		return c.b.f.loadChild(&c.b.root, nil, nil)
	}
	above := c.top()
	e := &above.elements[above.i]
	if len(c.stack) >= maxDepth {
		return nil, above.damageAt(headerSize, "the tree is too deep")
	}
	return c.b.f.loadChild(&e.child, e.key, c.upperBound())
}

// upperBound returns the key below which all keys under the end of the stack must be, or nil for no bound.
func (c *Cursor) upperBound() []byte {
	for depth := len(c.stack) - 1; depth >= 0; depth-- {
		if p := c.stack[depth]; p.i+1 < len(p.elements) {
			return p.elements[p.i+1].key
		}
	}
	return nil
}

// current returns the element at the cursor, or nil at the end of a leaf.
func (c *Cursor) current() *element {
	if p := c.top(); p.i >= 0 && p.i < len(p.elements) {
		return &p.elements[p.i]
	}
	return nil
}

func (c *Cursor) step(by int) (*element, error) {
	for len(c.stack) > 0 {
		p := c.top()
		if p.i += by; p.i < 0 || p.i >= len(p.elements) {
			c.stack = c.stack[:len(c.stack)-1]
			continue
		}
		if p.isLeaf() {
			return c.current(), nil
		}
		if by > 0 {
			return c.descend(func(*node) int { return 0 })
		}
		return c.descend(lastIndex)
	}
	return nil, nil
}

// seekCached moves the cursor to the first key not less than the given one if it is in the leaf of the bucket's
// last search, by any cursor. Keys that are sought in order are thus found without a descent from the root.
func (c *Cursor) seekCached(key []byte) *element {
	depth := len(c.b.lastPath)
	if depth == 0 {
		return nil
	}
	leaf := &c.b.lastPath[depth-1]
	i, inside := leaf.findInLeaf(key)
	if !inside {
		return nil
	}
	leaf.i = i
	c.stack = append(c.stack[:0], c.b.lastPath...)
	return c.current()
}

// findInLeaf returns the index of the first element whose key is not less than key. inside reports whether the
// leaf's own keys prove that no other leaf has a nearer one. It first looks where the last search ended.
func (p *position) findInLeaf(key []byte) (i int, inside bool) {
	n := len(p.elements)
	if n == 0 || bytes.Compare(p.elements[n-1].key, key) < 0 || bytes.Compare(p.elements[0].key, key) > 0 {
		return 0, false
	}
	for i := max(p.i, 1); i < min(p.i+3, n); i++ {
		if bytes.Compare(p.elements[i].key, key) >= 0 {
			if bytes.Compare(p.elements[i-1].key, key) < 0 {
				return i, true
			}
			break
		}
	}
	i, _ = p.find(key)
	return i, true
}
