package tracker

import (
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"github.com/podtrack/podtrack/tracker/pages"
)

// bucket is what a transaction sees of a bucket. What reads goes through the
// pages itself and never calls bbolt; what writes is bbolt's, and sees what it
// has written. Both panic where the file's structure is damaged, which guard
// makes an error.
type bucket interface {
	Get(key []byte) []byte // nil where there is no such key; the bytes must not be changed
	Put(key, value []byte) error
	Delete(key []byte) error
	NextSequence() (uint64, error)
	Cursor() cursor

	// Head is the beginning of a value, of at most n bytes, and the value's length.
	Head(key []byte, n int) (head []byte, size int64)
}

// cursor goes through a bucket in the order of keys. A nil key is the end.
type cursor interface {
	First() (key, value []byte)
	Last() (key, value []byte)
	Next() (key, value []byte)
	Prev() (key, value []byte)
	Seek(from []byte) (key, value []byte)
}

// below is a panic that guard makes an error: what package pages found.
type below struct{ err error }

func raise(err error) {
	if err != nil {
		panic(below{err})
	}
}

// reading is a bucket of a transaction that reads.
type reading struct{ *pages.Bucket }

func (b reading) Get(key []byte) []byte {
	v, ok, err := b.Bucket.Get(key)
	raise(err)
	if !ok {
		return nil
	}
	return whole(v)
}

// whole is never nil.
func whole(v pages.Value) []byte {
	value, err := v.Bytes()
	raise(err)
	return value
}

func (b reading) Head(key []byte, n int) ([]byte, int64) {
	v, _, err := b.Bucket.Get(key)
	raise(err)
	head, err := v.Head(int64(n))
	raise(err)
	return head, v.Len()
}

func (b reading) Put(_, _ []byte) error         { return bbolterrors.ErrTxNotWritable }
func (b reading) Delete([]byte) error           { return bbolterrors.ErrTxNotWritable }
func (b reading) NextSequence() (uint64, error) { return 0, bbolterrors.ErrTxNotWritable }
func (b reading) Cursor() cursor                { return readingCursor{b.Bucket.NewCursor()} }

type readingCursor struct{ c *pages.Cursor }

func (c readingCursor) First() ([]byte, []byte)           { return given(c.c.First()) }
func (c readingCursor) Last() ([]byte, []byte)            { return given(c.c.Last()) }
func (c readingCursor) Next() ([]byte, []byte)            { return given(c.c.Next()) }
func (c readingCursor) Prev() ([]byte, []byte)            { return given(c.c.Prev()) }
func (c readingCursor) Seek(from []byte) ([]byte, []byte) { return given(c.c.Seek(from)) }

func given(key []byte, v pages.Value, err error) ([]byte, []byte) {
	raise(err)
	if key == nil {
		return nil, nil
	}
	return key, whole(v)
}

// writing is a bucket of a transaction that writes.
type writing struct{ *bbolt.Bucket }

func (b writing) Cursor() cursor { return b.Bucket.Cursor() }

func (b writing) Head(key []byte, n int) ([]byte, int64) {
	v := b.Get(key)
	return v[:min(n, len(v))], int64(len(v))
}

// probing is the bucket of records in a transaction that writes. Their leaves
// are most of the file, so they are not walked before: instead the way to a
// record is gone by package pages before bbolt goes it.
type probing struct {
	writing
	before *pages.Bucket // as the transaction found it
}

func (b probing) probe(key []byte) {
	_, _, err := b.before.Get(key)
	raise(err)
}

func (b probing) Get(key []byte) []byte {
	b.probe(key)
	return b.writing.Get(key)
}

func (b probing) Head(key []byte, n int) ([]byte, int64) {
	b.probe(key)
	return b.writing.Head(key, n)
}

func (b probing) Put(key, value []byte) error {
	b.probe(key)
	return b.writing.Put(key, value)
}

func (b probing) Delete(key []byte) error {
	b.probe(key)
	return b.writing.Delete(key)
}

func (b probing) Cursor() cursor {
	return &probingCursor{cursor: b.writing.Cursor(), before: b.before.NewCursor()}
}

// probingCursor lets a cursor of package pages go ahead of bbolt's.
type probingCursor struct {
	cursor
	before *pages.Cursor
}

func (c *probingCursor) First() ([]byte, []byte) { probe(c.before.First()); return c.cursor.First() }
func (c *probingCursor) Last() ([]byte, []byte)  { probe(c.before.Last()); return c.cursor.Last() }
func (c *probingCursor) Next() ([]byte, []byte)  { probe(c.before.Next()); return c.cursor.Next() }
func (c *probingCursor) Prev() ([]byte, []byte)  { probe(c.before.Prev()); return c.cursor.Prev() }
func (c *probingCursor) Seek(from []byte) ([]byte, []byte) {
	probe(c.before.Seek(from))
	return c.cursor.Seek(from)
}

func probe(_ []byte, _ pages.Value, err error) { raise(err) }

// ofStructure is the error of what package pages found in a store.
func (s *Store) ofStructure(err error) error {
	var d *pages.Damage
	if errors.As(err, &d) {
		return damaged("%s: the file's structure (%v)", s.path, d)
	}
	return fmt.Errorf("read %s: %w", s.path, err)
}
