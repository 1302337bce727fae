package rows

import (
	"bytes"
	"context"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"github.com/podtrack/podtrack/tracker/fault"
	"github.com/podtrack/podtrack/tracker/pages"
)

// A Bucket is a transaction's access to a bucket.
type Bucket interface {
	Get(key []byte) []byte // nil if there is no such key; callers must not modify the bytes
	Put(key, value []byte) error
	Delete(key []byte) error
	NextSequence() (uint64, error)
	Sequence() uint64 // last number of NextSequence
	Cursor() Cursor

	// Head returns at most n leading bytes of a value, and the value's length.
	Head(key []byte, n int) (head []byte, size int64)
}

// A Cursor iterates over a bucket in key order. A nil key is the end.
type Cursor interface {
	Last() (key, value []byte)
	Next() (key, value []byte)
	Prev() (key, value []byte)
	Seek(from []byte) (key, value []byte)
}

// A StructureError is the value of a panic that ends a transaction: about damage that package pages found, a
// page that could not be read, or a context that is done.
type StructureError struct{ Err error }

func panicOn(err error) {
	if err != nil {
		panic(StructureError{err})
	}
}

// A readBucket is a bucket of a reading transaction. It checks the context, once for all loops over rows and
// records: what is read may be forged and endless.
type readBucket struct {
	*pages.Bucket
	ctx context.Context
}

// heed ends the transaction if its context is done.
func heed(ctx context.Context) {
	fault.Step()
	panicOn(ctx.Err())
}

func (r readBucket) Get(key []byte) []byte {
	heed(r.ctx)
	v, ok, err := r.Bucket.Get(key)
	panicOn(err)
	if !ok {
		return nil
	}
	return readValue(v)
}

// readValue returns all bytes of a value, never nil.
func readValue(v pages.Value) []byte {
	value, err := v.Bytes()
	panicOn(err)
	return value
}

func (r readBucket) Head(key []byte, n int) ([]byte, int64) {
	heed(r.ctx)
	v, _, err := r.Bucket.Get(key)
	panicOn(err)
	head, err := v.Head(int64(n))
	panicOn(err)
	return head, v.Len()
}

func (r readBucket) Put(_, _ []byte) error         { return bbolterrors.ErrTxNotWritable }
func (r readBucket) Delete([]byte) error           { return bbolterrors.ErrTxNotWritable }
func (r readBucket) NextSequence() (uint64, error) { return 0, bbolterrors.ErrTxNotWritable }
func (r readBucket) Sequence() uint64              { return r.Bucket.Sequence }
func (r readBucket) Cursor() Cursor                { return readCursor{r.Bucket.NewCursor(), r.ctx} }

type readCursor struct {
	c   *pages.Cursor
	ctx context.Context
}

func (r readCursor) Last() ([]byte, []byte)            { return r.result(r.c.Last()) }
func (r readCursor) Next() ([]byte, []byte)            { return r.result(r.c.Next()) }
func (r readCursor) Prev() ([]byte, []byte)            { return r.result(r.c.Prev()) }
func (r readCursor) Seek(from []byte) ([]byte, []byte) { return r.result(r.c.Seek(from)) }

func (r readCursor) result(key []byte, v pages.Value, err error) ([]byte, []byte) {
	heed(r.ctx)
	panicOn(err)
	if key == nil {
		return nil, nil
	}
	return key, readValue(v)
}

// A writeBucket is a bucket of a writing transaction.
type writeBucket struct {
	*bbolt.Bucket

	// unmodified is the bucket before the transaction, if its leaves were not checked when the file was opened: the
	// leaves of records are most of the file. Package pages follows the path to a record before bbolt does.
	unmodified *pages.Bucket
}

func (w writeBucket) checkPath(key []byte) {
	if w.unmodified != nil {
		_, _, err := w.unmodified.Get(key)
		panicOn(err)
	}
}

func (w writeBucket) Get(key []byte) []byte {
	w.checkPath(key)
	return w.Bucket.Get(key)
}

func (w writeBucket) Head(key []byte, n int) ([]byte, int64) {
	v := w.Get(key)
	return v[:min(n, len(v))], int64(len(v))
}

func (w writeBucket) Put(key, value []byte) error {
	w.checkPath(key)
	return w.Bucket.Put(key, value)
}

func (w writeBucket) Delete(key []byte) error {
	w.checkPath(key)
	return w.Bucket.Delete(key)
}

func (w writeBucket) Cursor() Cursor {
	c := &writeCursor{c: w.Bucket.Cursor()}
	if w.unmodified != nil {
		c.unmodified = w.unmodified.NewCursor()
	}
	return c
}

// A writeCursor is a cursor of bbolt, whose Prev (of v1.5.0) takes a leaf that the transaction has emptied for the
// beginning of the bucket. If its bucket's leaves were not checked, it moves a cursor of package pages ahead.
type writeCursor struct {
	c          *bbolt.Cursor
	unmodified *pages.Cursor // as in [writeBucket]
	at         []byte        // the key at which it is
}

func (w *writeCursor) Last() ([]byte, []byte) { return w.move((*pages.Cursor).Last, w.c.Last) }
func (w *writeCursor) Next() ([]byte, []byte) { return w.move((*pages.Cursor).Next, w.c.Next) }
func (w *writeCursor) Prev() ([]byte, []byte) { return w.move((*pages.Cursor).Prev, w.prev) }

func (w *writeCursor) Seek(from []byte) ([]byte, []byte) {
	return w.move(func(c *pages.Cursor) ([]byte, pages.Value, error) { return c.Seek(from) },
		func() ([]byte, []byte) { return w.c.Seek(from) })
}

func (w *writeCursor) move(
	check func(*pages.Cursor) ([]byte, pages.Value, error), do func() ([]byte, []byte),
) (key, value []byte) {
	if w.unmodified != nil {
		_, _, err := check(w.unmodified)
		panicOn(err)
	}
	key, value = do()
	w.at = key
	return key, value
}

// prev moves to the last key that is less than the current one, if need be from the first key on.
func (w *writeCursor) prev() ([]byte, []byte) {
	if key, value := w.c.Prev(); key != nil {
		return key, value
	}
	var last []byte
	for key, _ := w.c.First(); key != nil && bytes.Compare(key, w.at) < 0; key, _ = w.c.Next() {
		last = key
	}
	if last == nil {
		return nil, nil
	}
	return w.c.Seek(last)
}
