package backup

import (
	"bytes"
	"context"
	"errors"
	"hash/maphash"
	"os"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/fault"
	"github.com/podtrack/podtrack/tracker/internal/newfile"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	"github.com/podtrack/podtrack/tracker/pages"
	"github.com/podtrack/podtrack/tracker/rows"
)

const (
	// maxPasses bounds the number of passes before the last one.
	maxPasses = 12
	// lastPassBytes is the size in bytes of a pass after which the next one is the last.
	lastPassBytes = 256 << 10
)

// A liveCopy copies a store to a new file while other processes write to the store. A pass goes through the
// whole store in short transactions, and after each, when the store is closed again, writes to the new file. It
// compares the hashes of leaves with those of the previous pass. So each pass copies less than the one before,
// and the last one, in a single transaction, copies only the most recent commits.
//
// Page numbers and branches cannot replace the hashes: within two commits a leaf can move and another one take
// its page; then the branch above has its old bytes, and may be at its old place.
//
// Records never change and follow the index: a record is copied when its index entry is, and deleted when the
// entry is deleted or becomes a tombstone.
type liveCopy struct {
	source   *tracker.Store
	target   *bbolt.DB
	inUse    bool                    // leave out records that no row names: only [liveCopy.finish] may copy
	progress func(done, total int64) // called with the bytes copied; may be nil
	file     *os.File                // of the first transaction, kept open so that its inode is not reused

	seed   maphash.Seed
	leaves map[string][]leafSum // leaves whose rows the new file has, by bucket, in order
	txid   uint64               // commit that the new file is a copy of, 0 for none

	damaged       bool            // a damaged row may name any record
	referenced    map[uint64]bool // first 8 bytes of the records that rows name, unless all are copied
	wantedRecords pages.Set       // records that the new file's index names
	copiedRecords pages.Set       // records that are in the new file
	scanned       []byte          // key up to which the records were read
	overdue       []uint64        // records before scanned that the new file lacks

	records  int // in the new file
	stored   int64
	unused   int
	copied   int64 // bytes copied, for progress
	expected int64
}

func newLiveCopy(from *tracker.Store, to *bbolt.DB, inUse bool, progress func(done, total int64)) *liveCopy {
	return &liveCopy{
		source: from, target: to, inUse: inUse, progress: progress, seed: maphash.MakeSeed(),
		leaves: map[string][]leafSum{}, referenced: map[uint64]bool{},
		wantedRecords: pages.Set{}, copiedRecords: pages.Set{},
	}
}

// A leafSum identifies a leaf whose rows the new file has.
type leafSum struct {
	low []byte
	sum uint64 // 0 for a part of a leaf, which matches no leaf
}

type copyPass struct {
	*liveCopy
	txid   uint64
	stable bool   // all transactions saw the same commit
	limit  uint64 // sequence of the last record when the index was read

	buckets []string // still to be read; the first is current
	nextKey []byte   // next key in buckets[0]
	before  []leafSum
	after   []leafSum
}

// copyLive copies the store, in the state of some commit, to the file at path, while others read and write. The
// copy has no leases. It returns the number of records in it, and their bytes as stored. The file must not exist or, if
// resumed is set, must be the unfinished copy of an earlier attempt, with an intact structure. progress is called with
// the bytes copied; it may be nil. The copy is complete after [newfile.Finish]. The error is [tracker.ErrReplaced] if
// another file replaced the store's.
func copyLive(
	ctx context.Context, s *tracker.Store, path string, resumed bool, progress func(done, total int64),
) (records int, stored int64, err error) {
	flags := os.O_EXCL
	if resumed {
		flags = 0
	}
	db, err := newfile.OpenUnsynced(path, flags)
	if err != nil {
		return 0, 0, err
	}
	m := newLiveCopy(s, db, false, progress)
	if resumed {
		err = m.resume()
	}
	if err == nil {
		err = m.runPasses(ctx)
	}
	fault.At("backup.followed")
	if err == nil {
		err = s.View(ctx, func(tx *tracker.Tx) error { return m.finish(ctx, tx) })
	}
	return m.records, m.stored, errors.Join(err, m.close())
}

// resume records which records of an unfinished copy the new file has. The first pass compares its other rows
// like those of unknown leaves.
func (l *liveCopy) resume() error {
	return l.target.View(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte(rows.BucketRecords))
		if b == nil {
			return nil
		}
		return b.ForEach(func(key, stored []byte) error {
			if seq, valid := recordNumber(key); valid {
				l.copiedRecords.Add(seq)
			}
			l.records, l.stored, l.copied = l.records+1, l.stored+int64(len(stored)), l.copied+int64(len(stored))
			return nil
		})
	})
}

// close closes the new file, which is complete only after finish.
func (l *liveCopy) close() error {
	if l.file != nil {
		_ = l.file.Close()
	}
	return l.target.Close()
}

// runPasses runs passes in short transactions until little is left to copy.
func (l *liveCopy) runPasses(ctx context.Context) error {
	inShortTx := func(read func(*tracker.Tx) error) error {
		defer time.Sleep(portion.ShortTxPause)
		return l.source.View(ctx, read)
	}
	for range maxPasses {
		size, err := l.runPass(ctx, inShortTx)
		if err != nil || size <= lastPassBytes {
			return err
		}
	}
	return nil
}

// finish makes the new file a copy of the state that the transaction sees. The caller must sync it.
func (l *liveCopy) finish(ctx context.Context, tx *tracker.Tx) error {
	if err := l.checkSameFile(tx); err != nil || l.txid == tx.Rows().Pages.Txid {
		return err
	}
	_, err := l.runPass(ctx, func(read func(*tracker.Tx) error) error { return read(tx) })
	return err
}

// runPass copies the changes since the last pass, and returns the number of bytes. view calls read with a transaction.
func (l *liveCopy) runPass(
	ctx context.Context, view func(read func(*tracker.Tx) error) error,
) (size int64, err error) {
	var r *copyPass
	for more := true; more; {
		b := newRowBatch()
		err := view(func(tx *tracker.Tx) (err error) {
			if err = l.checkSameFile(tx); err == nil && r == nil {
				r, err = l.beginPass(tx)
			}
			if err == nil {
				end := time.Now().Add(portion.ShortTx)
				more, err = r.readSome(tx, b, func() bool {
					return b.size >= portion.Staged || time.Now().After(end) || ctx.Err() != nil
				})
			}
			return errors.Join(err, ctx.Err())
		})
		if err == nil {
			err = l.writeBatch(b)
		}
		if err != nil {
			return size, err
		}
		size += b.size
		if l.progress != nil {
			l.progress(min(l.copied, l.expected), l.expected)
		}
	}
	l.notePass(r)
	return size, nil
}

// notePass records the commit of which the new file is a copy, if the pass saw only one.
func (l *liveCopy) notePass(r *copyPass) {
	if l.txid = 0; r.stable {
		l.txid = r.txid
	}
}

// checkSameFile returns [tracker.ErrReplaced] unless all transactions read the same file.
func (l *liveCopy) checkSameFile(tx *tracker.Tx) error {
	here, err := tx.Stat()
	if err != nil {
		return err
	}
	if l.file == nil {
		if l.file, err = os.Open(l.source.Path()); err != nil {
			return err
		}
		l.expected = here.Size()
	}
	first, err := l.file.Stat()
	if err == nil && !os.SameFile(here, first) {
		err = tracker.ErrReplaced
	}
	return err
}

// beginPass begins a pass. Rows that name records are read before the index, and the index before the records.
func (l *liveCopy) beginPass(tx *tracker.Tx) (*copyPass, error) {
	names, err := tx.Rows().Pages.BucketNames()
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return name == rows.BucketDigests || name == rows.BucketRecords
	})
	return &copyPass{
		liveCopy: l, txid: tx.Rows().Pages.Txid, stable: true,
		buckets: append(names, rows.BucketDigests, rows.BucketRecords),
	}, nil
}

// readSome reads until enough returns true, and adds what must be written to b. It reports whether more is left
// to read.
func (c *copyPass) readSome(tx *tracker.Tx, b *rowBatch, enough func() bool) (more bool, err error) {
	c.stable = c.stable && tx.Rows().Pages.Txid == c.txid
	for len(c.buckets) > 0 {
		done := false
		if c.buckets[0] == rows.BucketRecords {
			done, err = c.readRecords(tx, b, enough)
		} else {
			done, err = c.readRows(tx, c.buckets[0], b, enough)
		}
		if err != nil || !done {
			return true, err
		}
		c.buckets = c.buckets[1:]
	}
	return false, nil
}

// errEnough ends the reading of a bucket in this transaction.
var errEnough = errors.New("enough was read")

// readRows continues in a bucket, and reports whether it has reached the end.
func (c *copyPass) readRows(tx *tracker.Tx, name string, b *rowBatch, enough func() bool) (done bool, err error) {
	bucket, err := tx.Rows().Pages.OpenBucket(name)
	if err != nil || bucket == nil {
		return true, err
	}
	b.sequences[name] = bucket.Sequence
	if name == rows.BucketLeases && !c.inUse {
		return true, nil // nothing works on the runs of a backup
	}
	if c.nextKey == nil {
		c.before, c.after = c.leaves[name], nil
	}
	if c.nextKey == nil && name == rows.BucketDigests {
		c.limit = tx.Rows().Bucket(rows.BucketRecords).Sequence()
	}
	err = bucket.VisitLeaves(c.nextKey, func(l *pages.Leaf) error {
		if err := c.readLeaf(name, l, b); err != nil {
			return err
		}
		if c.nextKey = bytes.Clone(l.High); l.High != nil && enough() {
			return errEnough
		}
		return nil
	})
	switch {
	case errors.Is(err, errEnough):
		return false, nil
	case err != nil:
		return false, err
	}
	c.leaves[name], c.before, c.after, c.nextKey = c.after, nil, nil, nil
	return true, nil
}

// readLeaf reads the rows of a leaf unless the new file has it. If the transaction begins within
// the leaf, it reads the rest.
func (c *copyPass) readLeaf(name string, l *pages.Leaf, b *rowBatch) error {
	low, sum := l.Low, uint64(0)
	if bytes.Compare(low, c.nextKey) < 0 {
		low = c.nextKey
	} else {
		var err error
		if sum, err = l.Hash(c.seed); err != nil {
			return err
		}
		if c.hasLeaf(low, sum) {
			c.after = append(c.after, leafSum{bytes.Clone(low), sum})
			return nil
		}
	}
	s := keyRange{bucket: name, low: bytes.Clone(low), high: bytes.Clone(l.High)}
	err := l.VisitRows(low, func(key []byte, v pages.Value) error {
		value, err := v.Bytes()
		if err == nil && c.copiesRow(name, key, value) {
			s.rows = append(s.rows, rawRow{key, value})
			b.size += int64(len(key) + len(value))
		}
		return err
	})
	b.ranges = append(b.ranges, s)
	c.after = append(c.after, leafSum{s.low, sum})
	return err
}

// hasLeaf reports whether the new file already has a leaf. It must be called in the order of leaves.
func (c *copyPass) hasLeaf(low []byte, sum uint64) bool {
	for len(c.before) > 0 && bytes.Compare(c.before[0].low, low) < 0 {
		c.before = c.before[1:]
	}
	return len(c.before) > 0 && bytes.Equal(c.before[0].low, low) && c.before[0].sum == sum
}

func (c *copyPass) readRecords(tx *tracker.Tx, b *rowBatch, enough func() bool) (done bool, err error) {
	bucket, err := tx.Rows().Pages.OpenBucket(rows.BucketRecords)
	if err != nil {
		return true, err
	}
	b.sequences[rows.BucketRecords] = bucket.Sequence
	for len(c.overdue) > 0 {
		key := rows.NumberKey(c.overdue[0])
		v, found, err := bucket.Get(key)
		if err == nil && found {
			err = b.addRecord(key, v)
		}
		if c.overdue = c.overdue[1:]; err != nil || enough() {
			return false, err
		}
	}
	cursor := bucket.NewCursor()
	key, v, err := cursor.Seek(append(bytes.Clone(c.scanned), 0))
	for ; key != nil && err == nil; key, v, err = cursor.Next() {
		seq, valid := recordNumber(key)
		switch {
		case valid && c.copiedRecords.Has(seq):
		case c.damaged, !valid, c.wantedRecords.Has(seq): // a damaged key is copied unchanged
			err = b.addRecord(key, v)
		case seq > c.limit && !c.stable:
			return true, nil // added after the index was read
		default:
			c.unused++
		}
		if c.scanned = bytes.Clone(key); err != nil || enough() {
			return false, err
		}
	}
	return true, err
}
