package pages

import "bytes"

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
