package pages

import "bytes"

// rememberPath stores the path from the root to the leaf that was just searched.
func (b *Bucket) rememberPath(stack []position) { b.lastPath = append(b.lastPath[:0], stack...) }

// findInLeaf returns the index of the first element whose key is not less than key. It reports in
// inside whether the leaf's own keys prove that no other leaf has a nearer one. It first looks
// where the last search ended.
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
