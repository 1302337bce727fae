package pages

// Cursor goes through a bucket in the order of its keys. Past an end it returns
// no key; then it must be placed anew. What it returns must not be changed.
type Cursor struct {
	b     *Bucket
	stack []position // from the root to a leaf
}

type position struct {
	*node
	i int
}

// usualDepth is that of nearly all trees.
const usualDepth = 4

// NewCursor returns a cursor that is nowhere yet.
func (b *Bucket) NewCursor() *Cursor { return &Cursor{b: b, stack: make([]position, 0, usualDepth)} }

// First goes to the first key.
func (c *Cursor) First() ([]byte, Value, error) {
	c.stack = c.stack[:0]
	return keyValue(c.descend(func(*node) int { return 0 }))
}

// Last goes to the last key.
func (c *Cursor) Last() ([]byte, Value, error) {
	c.stack = c.stack[:0]
	return keyValue(c.descend(lastIndex))
}

// Seek goes to the first key that is not before the given one.
func (c *Cursor) Seek(key []byte) ([]byte, Value, error) { return keyValue(c.seek(key)) }

// Next goes to the key after.
func (c *Cursor) Next() ([]byte, Value, error) { return keyValue(c.step(1)) }

// Prev goes to the key before.
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
			i-- // the child that begins before the key
		}
		return i
	})
	if err != nil {
		return nil, err
	}
	c.b.rememberPath(c.stack)
	if e != nil {
		return e, nil
	}
	c.top().i-- // beyond the leaf's last key
	return c.step(1)
}

func (c *Cursor) top() *position { return &c.stack[len(c.stack)-1] }

// descend goes on from where the stack ends, or from the root, to a leaf. It
// returns nil where the leaf has no element of that index.
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

// loadNext is the page below the stack's end, or the root.
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

// upperBound is the key that those below the stack's end must be before, nil for none.
func (c *Cursor) upperBound() []byte {
	for depth := len(c.stack) - 1; depth >= 0; depth-- {
		if p := c.stack[depth]; p.i+1 < len(p.elements) {
			return p.elements[p.i+1].key
		}
	}
	return nil
}

// current is the element that the cursor is at, nil for none.
func (c *Cursor) current() *element {
	if p := c.top(); p.i >= 0 && p.i < len(p.elements) {
		return &p.elements[p.i]
	}
	return nil
}

// step goes one key onwards or back.
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
