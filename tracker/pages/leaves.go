package pages

import (
	"bytes"
	"hash/maphash"
)

// A Leaf is a leaf of a bucket whose position, but not its content, has been checked. The ranges of consecutive
// leaves are adjacent.
type Leaf struct {
	Low, High []byte // Low ≤ key < High; nil means no bound
	run       *pageSpan
	inline    *node // of an inline bucket, otherwise nil
	shared    bool  // run's buffer is reused for the next leaf
}

// VisitLeaves calls visit in order for each leaf whose range contains keys not less than from, until visit
// returns false or an error. The leaf is valid only during the call.
func (b *Bucket) VisitLeaves(from []byte, visit func(*Leaf) (more bool, err error)) error {
	if b.inline != nil {
		_, err := visit(&Leaf{run: b.inline.pageSpan, inline: b.inline})
		return err
	}
	return b.visitLeaves(func(high []byte) bool { return high == nil || bytes.Compare(high, from) > 0 }, visit)
}

// visitLeaves calls visit like [Bucket.VisitLeaves] for the leaves of a bucket that is not inline. It leaves out what
// is below a page if wants returns false for the upper bound of the page's keys, nil for none.
func (b *Bucket) visitLeaves(wants func(high []byte) bool, visit func(*Leaf) (more bool, err error)) error {
	w := leafTraversal{f: b.f, wants: wants, visit: visit, buf: make([]byte, b.f.PageSize)}
	_, err := w.visitBelow(b.root.page, nil, nil, 1)
	return err
}

// leafTraversal is the state of a traversal of a bucket's leaves.
type leafTraversal struct {
	f     *File
	wants func(high []byte) bool
	visit func(*Leaf) (bool, error)
	buf   []byte // for a page
}

// visitBelow visits the leaves below the page.
func (l *leafTraversal) visitBelow(page uint64, low, high []byte, depth int) (more bool, err error) {
	if depth > maxDepth || !l.f.isDataPage(page) {
		return false, &Damage{Page: page, Offset: int64(page) * l.f.PageSize,
			Why: "the tree is too deep, or refers to a page outside the file"}
	}
	r, err := l.f.loadInto(l.buf, page, l.f.End)
	if err != nil {
		return false, err
	}
	if r.flags == flagLeaf {
		return l.visit(&Leaf{Low: low, High: high, run: r, shared: true})
	}
	r.buf = bytes.Clone(r.buf)
	n, err := r.decode()
	if err != nil {
		return false, err
	}
	if err := n.checkKeyRange(low, high); err != nil {
		return false, err
	}
	for i, e := range n.elements {
		first, next := e.key, high
		if i == 0 {
			first = low
		}
		if i+1 < len(n.elements) {
			next = n.elements[i+1].key
		}
		if !l.wants(next) {
			continue
		}
		if more, err = l.visitBelow(e.child.page, first, next, depth+1); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

// Hash returns a hash of the leaf's range and all its bytes. Two leaves with the same hash have the
// same rows, except with probability 2⁻⁶⁴.
func (l *Leaf) Hash(seed maphash.Seed) (uint64, error) {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, bound := range [][]byte{l.Low, l.High} {
		maphash.WriteComparable(&h, len(bound))
		_, _ = h.Write(bound)
	}
	for at := int64(0); at < l.run.size; at += maxBuffered {
		b, err := l.run.bytes(at, min(maxBuffered, l.run.size-at))
		if err != nil {
			return 0, err
		}
		_, _ = h.Write(b)
	}
	return h.Sum64(), nil
}

// VisitRows checks the leaf, and calls visit for each row whose key is not less than from.
func (l *Leaf) VisitRows(from []byte, visit func(key []byte, value Value) error) error {
	if l.shared {
		l.run.buf, l.shared = bytes.Clone(l.run.buf), false
	}
	n := l.inline
	if n == nil {
		var err error
		if n, err = l.run.decode(); err != nil {
			return err
		}
	}
	if err := n.checkKeyRange(l.Low, l.High); err != nil {
		return err
	}
	for _, e := range n.elements {
		if e.bucket {
			return l.run.damageAt(e.value.at, "a bucket within a bucket")
		}
		if bytes.Compare(e.key, from) < 0 {
			continue
		}
		if err := visit(e.key, e.value); err != nil {
			return err
		}
	}
	return nil
}

// BucketNames returns the names of all buckets.
func (f *File) BucketNames() (names []string, err error) {
	c := (&Bucket{f: f, root: childLink{page: f.Root}}).NewCursor()
	key, _, err := c.First()
	for ; key != nil && err == nil; key, _, err = c.Next() {
		names = append(names, string(key))
	}
	return names, err
}
