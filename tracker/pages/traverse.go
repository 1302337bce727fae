package pages

import (
	"bytes"
	"errors"
	"slices"
)

func (t *traversal) visitBucket(e element) error {
	outer := t.leaves
	defer func() { t.bucket, t.from, t.leaves, t.shallow = "", nil, outer, false }()
	name := string(e.key)
	if t.Bucket != "" && t.Bucket != name {
		return nil
	}
	t.bucket, t.from, t.leaves, t.shallow = name, t.From, 0, slices.Contains(t.Shallow, name)
	b, err := t.f.openElement(e)
	if err != nil {
		return t.report(err)
	}
	if b.inline != nil {
		return t.visitLeaf(&Leaf{inline: b.inline}, t.visitElement)
	}
	return t.traverseTree(b.root.page, keyRange{}, 1, func(l *Leaf) error { return t.visitLeaf(l, t.visitElement) })
}

func (t *traversal) visitElement(e element) error {
	if e.bucket {
		return t.report(e.value.run.damageAt(e.value.at, "a bucket within bucket %q", t.bucket))
	}
	if t.Visit == nil || bytes.Compare(e.key, t.From) < 0 {
		return nil
	}
	return t.Visit(Element{Bucket: t.bucket, Key: e.key, Value: e.value, Page: e.value.run.page})
}

// Traverse visits all pages of the tree, each once.
func (f *File) Traverse(w TraverseOptions) error {
	t := &traversal{TraverseOptions: w, f: f, reached: Set{}}
	return t.traverseAll()
}

func (t *traversal) traverseAll() error {
	free, list, err := t.f.readFreelist()
	if err := t.report(err); err != nil {
		return err
	}
	if t.free = free; list != nil {
		for page := range list.pageCount() {
			t.reached.Add(list.page + page)
		}
	}
	return t.traverseTree(t.f.Root, keyRange{}, 1, func(l *Leaf) error { return t.visitLeaf(l, t.visitBucket) })
}

// maxDepth is a bound on the depth of a tree. Even with two keys a page no tree is that deep, and pages have hundreds.
const maxDepth = 48

// An Element is a key with its value.
type Element struct {
	Bucket string // "" in a [Scan]
	Key    []byte
	Value  Value
	Page   uint64 // number of the leaf
}

// TraverseOptions configures a traversal. The zero value reads every page.
type TraverseOptions struct {
	// Visit is called for each element, in the order of buckets and keys. An error
	// ends the traversal. The key is valid only during the call.
	Visit func(Element) error

	// OnDamage is called for each damage with its bucket, or "" for none. The traversal then continues after what the
	// damaged page refers to. An error ends the traversal. If OnDamage is nil, the first damage does.
	OnDamage func(bucket string, d *Damage) error

	// Shallow lists buckets of which only the first leaf is read. The other leaves are only checked not to be
	// free, and not to be referred to by another page.
	Shallow []string

	// Bucket, if not "", is the only bucket to traverse, and From its first key.
	Bucket string
	From   []byte
}

type traversal struct {
	TraverseOptions
	f       *File
	reached Set // nil for one bucket, of which pages are not compared with others
	free    Set

	bucket  string
	from    []byte // the first key in it
	shallow bool
	leaves  int // depth of the bucket's leaves, 0 if none was seen
}

// report passes a [Damage] to OnDamage, if set, and returns any other error.
func (t *traversal) report(err error) error {
	if d, ok := errors.AsType[*Damage](err); ok && t.OnDamage != nil {
		return t.OnDamage(t.bucket, d)
	}
	return err
}

func (t *traversal) traverseTree(page uint64, in keyRange, depth int, visit func(*Leaf) error) error {
	p, err := t.enterPage(page, depth)
	if err == nil && p.flags == flagLeaf {
		return visit(&Leaf{keyRange: in, run: p, depth: depth})
	}
	var n *node
	if err == nil {
		if n, err = p.decode(); err == nil {
			err = n.checkKeyRange(in.first, in.High)
		}
	}
	if err != nil {
		return t.report(err)
	}
	for i, e := range n.elements {
		below := keyRange{Low: e.key, High: in.High, first: e.key}
		if i == 0 {
			below.Low = in.Low
		}
		if i+1 < len(n.elements) {
			below.High = n.elements[i+1].key
		}
		switch {
		case below.High != nil && bytes.Compare(below.High, t.from) <= 0:
		case t.shallow && depth+1 == t.leaves:
			err = t.report(t.markReached(e.child.page, 1))
		default:
			err = t.traverseTree(e.child.page, below, depth+1, visit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// enterPage loads a page, which must not have been reached before.
func (t *traversal) enterPage(page uint64, depth int) (*pageSpan, error) {
	if depth > maxDepth {
		return nil, &Damage{Page: page, Offset: int64(page) * t.f.PageSize, Why: "the tree is too deep"}
	}
	p, err := t.f.load(page, t.f.End)
	if err == nil && t.reached != nil {
		err = t.markReached(page, p.pageCount())
	}
	return p, err
}

// visitLeaf visits the elements of a leaf, which must be as deep as those before.
func (t *traversal) visitLeaf(l *Leaf, visit func(element) error) error {
	n, err := l.decode()
	if err == nil && t.leaves != 0 && t.leaves != l.depth {
		err = n.damageAt(8, "a leaf at depth %d, expected %d", l.depth, t.leaves)
	}
	if err != nil {
		return t.report(err)
	}
	t.leaves = l.depth
	for _, e := range n.elements {
		if err := visit(e); err != nil {
			return err
		}
	}
	return nil
}

// markReached marks n pages as reached. It returns a [Damage] if one was reached before or is free.
func (t *traversal) markReached(page, n uint64) (err error) {
	for number := page; number < page+n; number++ {
		why := ""
		switch {
		case !t.reached.Add(number):
			why = "more than one page refers to it"
		case t.free.Has(number):
			why = "it is in use and in the freelist"
		}
		if why != "" && err == nil {
			err = &Damage{Page: number, Offset: int64(page) * t.f.PageSize, Why: why}
		}
	}
	return err
}
