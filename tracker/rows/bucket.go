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

	// GetSorted calls visit with the value of each of n keys that the bucket has. The keys must ascend. Values are
	// valid only during the call.
	GetSorted(n int, key func(i int) []byte, visit func(i int, value []byte))
}

// A Cursor iterates over a bucket in key order. A nil key is the end.
type Cursor interface {
	First() (key, value []byte)
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

func (r readBucket) GetSorted(n int, key func(i int) []byte, visit func(i int, value []byte)) {
	panicOn(r.Bucket.GetSorted(n, key, func(i int, v pages.Value) error {
		heed(r.ctx)
		visit(i, readValue(v))
		return nil
	}))
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

func (r readCursor) First() ([]byte, []byte)           { return r.result(r.c.First()) }
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
type writeBucket struct{ *bbolt.Bucket }

func (w writeBucket) Cursor() Cursor { return &writeCursor{c: w.Bucket.Cursor()} }

func (w writeBucket) Head(key []byte, n int) ([]byte, int64) {
	v := w.Get(key)
	return v[:min(n, len(v))], int64(len(v))
}

func (w writeBucket) GetSorted(n int, key func(i int) []byte, visit func(i int, value []byte)) {
	for i := range n {
		if v := w.Get(key(i)); v != nil {
			visit(i, v)
		}
	}
}

// A writeCursor is a cursor of bbolt, whose Prev (of v1.5.0) takes a leaf that the transaction has emptied for the
// beginning of the bucket.
type writeCursor struct {
	c  *bbolt.Cursor
	at []byte // the key at which it is
}

func (w *writeCursor) First() ([]byte, []byte)           { return w.note(w.c.First()) }
func (w *writeCursor) Last() ([]byte, []byte)            { return w.note(w.c.Last()) }
func (w *writeCursor) Next() ([]byte, []byte)            { return w.note(w.c.Next()) }
func (w *writeCursor) Seek(from []byte) ([]byte, []byte) { return w.note(w.c.Seek(from)) }

func (w *writeCursor) Prev() ([]byte, []byte) {
	key, value := w.c.Prev()
	if key == nil {
		key, value = w.seekBefore(w.at)
	}
	return w.note(key, value)
}

// seekBefore moves to the last key that is less than the given one, from the first key on.
func (w *writeCursor) seekBefore(at []byte) ([]byte, []byte) {
	var last []byte
	for key, _ := w.c.First(); key != nil && bytes.Compare(key, at) < 0; key, _ = w.c.Next() {
		last = key
	}
	if last == nil {
		return nil, nil
	}
	return w.c.Seek(last)
}

func (w *writeCursor) note(key, value []byte) ([]byte, []byte) {
	w.at = key
	return key, value
}

// A checkedBucket is the bucket of records in a writing transaction. Its leaves are most of the file, so they
// are not checked when the file is opened. Instead package pages follows the path to a record before bbolt
// does.
type checkedBucket struct {
	writeBucket
	unmodified *pages.Bucket // before the transaction
}

func (c checkedBucket) checkPath(key []byte) {
	_, _, err := c.unmodified.Get(key)
	panicOn(err)
}

func (c checkedBucket) Get(key []byte) []byte {
	c.checkPath(key)
	return c.writeBucket.Get(key)
}

func (c checkedBucket) Head(key []byte, n int) ([]byte, int64) {
	c.checkPath(key)
	return c.writeBucket.Head(key, n)
}

func (c checkedBucket) Put(key, value []byte) error {
	c.checkPath(key)
	return c.writeBucket.Put(key, value)
}

func (c checkedBucket) Delete(key []byte) error {
	c.checkPath(key)
	return c.writeBucket.Delete(key)
}

func (c checkedBucket) Cursor() Cursor {
	return &checkedCursor{Cursor: c.writeBucket.Cursor(), unmodified: c.unmodified.NewCursor()}
}

// A checkedCursor moves a cursor of package pages ahead of bbolt's.
type checkedCursor struct {
	Cursor
	unmodified *pages.Cursor
}

func (c *checkedCursor) First() ([]byte, []byte) {
	checkResult(c.unmodified.First())
	return c.Cursor.First()
}
func (c *checkedCursor) Last() ([]byte, []byte) {
	checkResult(c.unmodified.Last())
	return c.Cursor.Last()
}
func (c *checkedCursor) Next() ([]byte, []byte) {
	checkResult(c.unmodified.Next())
	return c.Cursor.Next()
}
func (c *checkedCursor) Prev() ([]byte, []byte) {
	checkResult(c.unmodified.Prev())
	return c.Cursor.Prev()
}
func (c *checkedCursor) Seek(from []byte) ([]byte, []byte) {
	checkResult(c.unmodified.Seek(from))
	return c.Cursor.Seek(from)
}

func checkResult(_ []byte, _ pages.Value, err error) { panicOn(err) }
