package pages

import "bytes"

// rememberPath keeps where a bucket was last sought, as the way down to that leaf.
func (b *Bucket) rememberPath(stack []position) { b.lastPath = append(b.lastPath[:0], stack...) }

// seekCached places the cursor at the first key that is not before the given one if
// that is in the leaf where the bucket was last sought, by whichever cursor. So
// keys that are sought in their order are found without a way down from the root.
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

// findInLeaf is the index of the first element whose key is not before key, and
// whether the leaf's own keys tell that there is none between them elsewhere.
// It looks first at where the leaf was last looked at.
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
