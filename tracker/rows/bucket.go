package rows

import (
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
	Sequence() uint64 // the last one
	Cursor() Cursor

	// Head returns at most n leading bytes of a value, and the value's length.
	Head(key []byte, n int) (head []byte, size int64)
}

// A Cursor iterates over a bucket in key order. A nil key is the end.
type Cursor interface {
	First() (key, value []byte)
	Last() (key, value []byte)
	Next() (key, value []byte)
	Prev() (key, value []byte)
	Seek(from []byte) (key, value []byte)
}

// A StructureError is the value of a panic about damage that package pages found, about a page
// that could not be read, or about a context that is done.
type StructureError struct{ Err error }

func panicOn(err error) {
	if err != nil {
		panic(StructureError{err})
	}
}

// readBucket is a bucket of a reading transaction. What is read may be foreign and without end: the context is looked
// at here, once for all loops over rows and records.
type readBucket struct {
	*pages.Bucket
	ctx context.Context
}

// heed ends the transaction once its context is done.
func heed(ctx context.Context) {
	fault.Step()
	panicOn(ctx.Err())
}

func (b readBucket) Get(key []byte) []byte {
	heed(b.ctx)
	v, ok, err := b.Bucket.Get(key)
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

func (b readBucket) Head(key []byte, n int) ([]byte, int64) {
	heed(b.ctx)
	v, _, err := b.Bucket.Get(key)
	panicOn(err)
	head, err := v.Head(int64(n))
	panicOn(err)
	return head, v.Len()
}

func (b readBucket) Put(_, _ []byte) error         { return bbolterrors.ErrTxNotWritable }
func (b readBucket) Delete([]byte) error           { return bbolterrors.ErrTxNotWritable }
func (b readBucket) NextSequence() (uint64, error) { return 0, bbolterrors.ErrTxNotWritable }
func (b readBucket) Sequence() uint64              { return b.Bucket.Sequence }
func (b readBucket) Cursor() Cursor                { return readCursor{b.Bucket.NewCursor(), b.ctx} }

type readCursor struct {
	c   *pages.Cursor
	ctx context.Context
}

func (c readCursor) First() ([]byte, []byte)           { return c.result(c.c.First()) }
func (c readCursor) Last() ([]byte, []byte)            { return c.result(c.c.Last()) }
func (c readCursor) Next() ([]byte, []byte)            { return c.result(c.c.Next()) }
func (c readCursor) Prev() ([]byte, []byte)            { return c.result(c.c.Prev()) }
func (c readCursor) Seek(from []byte) ([]byte, []byte) { return c.result(c.c.Seek(from)) }

func (c readCursor) result(key []byte, v pages.Value, err error) ([]byte, []byte) {
	heed(c.ctx)
	panicOn(err)
	if key == nil {
		return nil, nil
	}
	return key, readValue(v)
}

// writeBucket is a bucket of a writing transaction.
type writeBucket struct{ *bbolt.Bucket }

func (b writeBucket) Cursor() Cursor { return b.Bucket.Cursor() }

func (b writeBucket) Head(key []byte, n int) ([]byte, int64) {
	v := b.Get(key)
	return v[:min(n, len(v))], int64(len(v))
}

// checkedBucket is the bucket of records in a writing transaction. Its leaves are most of the file,
// so they are not checked when the file is opened. Instead package pages follows the path to a
// record before bbolt does.
type checkedBucket struct {
	writeBucket
	unmodified *pages.Bucket // as the transaction found it
}

func (b checkedBucket) checkPath(key []byte) {
	_, _, err := b.unmodified.Get(key)
	panicOn(err)
}

func (b checkedBucket) Get(key []byte) []byte {
	b.checkPath(key)
	return b.writeBucket.Get(key)
}

func (b checkedBucket) Head(key []byte, n int) ([]byte, int64) {
	b.checkPath(key)
	return b.writeBucket.Head(key, n)
}

func (b checkedBucket) Put(key, value []byte) error {
	b.checkPath(key)
	return b.writeBucket.Put(key, value)
}

func (b checkedBucket) Delete(key []byte) error {
	b.checkPath(key)
	return b.writeBucket.Delete(key)
}

func (b checkedBucket) Cursor() Cursor {
	return &checkedCursor{Cursor: b.writeBucket.Cursor(), unmodified: b.unmodified.NewCursor()}
}

// checkedCursor moves a cursor of package pages ahead of bbolt's.
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
