package pages

import (
	"bytes"
	"slices"
)

// visitBucket visits the bucket that an element of the root holds.
func (t *traversal) visitBucket(e element) error {
	outer := t.leaves
	defer func() { t.bucket, t.leaves, t.shallow = "", outer, false }()
	name := string(e.key)
	if t.Bucket != "" && t.Bucket != name {
		return nil
	}
	t.bucket, t.leaves, t.shallow = name, 0, slices.Contains(t.Shallow, name)
	b, err := t.f.openElement(e)
	if err != nil {
		return t.report(err)
	}
	if b.inline == nil {
		return t.traverseTree(b.root.page, nil, nil, 1, t.visitElement)
	}
	for _, e := range b.inline.elements {
		if err := t.visitElement(e); err != nil {
			return err
		}
	}
	return nil
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
func (f *File) Traverse(w TraverseOptions) (Usage, error) {
	t := &traversal{TraverseOptions: &w, f: f, reached: pageSet{}}
	err := t.traverseAll()
	return Usage{Reached: t.reached.count(), Free: t.free.count()}, err
}

func (t *traversal) traverseAll() error {
	free, list, err := t.f.readFreelist()
	if err := t.report(err); err != nil {
		return err
	}
	if t.free = free; list != nil {
		t.reached.add(list.page, list.pageCount())
	}
	return t.traverseTree(t.f.Root, nil, nil, 1, t.visitBucket)
}
