package pages

import (
	"bytes"
	"slices"
)

// visitBucket visits the bucket that an element of the root holds.
func (w *traversal) visitBucket(e element) error {
	outer := w.leaves
	defer func() { w.bucket, w.leaves, w.shallow = "", outer, false }()
	name := string(e.key)
	if w.Bucket != "" && w.Bucket != name {
		return nil
	}
	w.bucket, w.leaves, w.shallow = name, 0, slices.Contains(w.Shallow, name)
	b, err := w.f.openElement(e)
	if err != nil {
		return w.report(err)
	}
	if b.inline == nil {
		return w.traverseTree(b.root.page, nil, nil, 1, w.visitElement)
	}
	for _, e := range b.inline.elements {
		if err := w.visitElement(e); err != nil {
			return err
		}
	}
	return nil
}

func (w *traversal) visitElement(e element) error {
	if e.bucket {
		return w.report(e.value.run.damageAt(e.value.at, "a bucket within bucket %q", w.bucket))
	}
	if w.Visit == nil || bytes.Compare(e.key, w.From) < 0 {
		return nil
	}
	return w.Visit(Element{Bucket: w.bucket, Key: e.key, Value: e.value, Page: e.value.run.page})
}

// Traverse visits all pages of the tree, each once.
func (f *File) Traverse(w TraverseOptions) (Usage, error) {
	t := &traversal{TraverseOptions: &w, f: f, reached: pageSet{}}
	err := t.traverseAll()
	return Usage{Reached: t.reached.count(), Free: t.free.count()}, err
}

func (w *traversal) traverseAll() error {
	free, list, err := w.f.readFreelist()
	if err := w.report(err); err != nil {
		return err
	}
	if w.free = free; list != nil {
		w.reached.add(list.page, list.pageCount())
	}
	return w.traverseTree(w.f.Root, nil, nil, 1, w.visitBucket)
}
