package pages

import (
	"bytes"
	"hash/maphash"
)

// A Leaf is a leaf of a bucket whose position, but not its content, has been checked. The ranges of consecutive
// leaves are adjacent.
type Leaf struct {
	keyRange
	run    *pageSpan
	inline *node // of an inline bucket, otherwise nil
	depth  int
}

// A keyRange is where the keys of a page must be, by the pages above.
type keyRange struct {
	Low, High []byte // Low ≤ key < High; nil means no bound
	first     []byte // the page's key in the page above, nil for a root; first ≤ key
}

// VisitLeaves calls visit in order for each leaf whose range contains keys not less than from, until visit
// returns an error. The leaf is valid only during the call.
func (b *Bucket) VisitLeaves(from []byte, visit func(*Leaf) error) error {
	if b.inline != nil {
		return visit(&Leaf{run: b.inline.pageSpan, inline: b.inline})
	}
	t := traversal{f: b.f, from: from}
	return t.traverseTree(b.root.page, keyRange{}, 1, visit)
}

func (l *Leaf) decode() (*node, error) {
	if l.inline != nil {
		return l.inline, nil
	}
	n, err := l.run.decode()
	if err == nil {
		err = n.checkKeyRange(l.first, l.High)
	}
	return n, err
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
	n, err := l.decode()
	if err != nil {
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
	key, _, err := c.Seek(nil)
	for ; key != nil && err == nil; key, _, err = c.Next() {
		names = append(names, string(key))
	}
	return names, err
}
