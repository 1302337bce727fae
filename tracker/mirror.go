package tracker

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"os"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/tracker/pages"
)

// mirror is a copy of a store in a new file, made while others write to the store. A
// round goes through all of the store in turns, in each of which it reads for a moment,
// and writes when the store is closed again. It compares leaves by their hashes with
// those of the round before: page numbers tell nothing, since pages are used again. So
// each round has less to copy than the one before, and the last one, in a single
// transaction, finds little but what was committed a moment ago.
//
// Records never change, and go by their entries in the index: one comes when its entry
// does, and goes when that goes or becomes a tombstone.
type mirror struct {
	mirroring
	from *Store
	to   *bbolt.DB
	file *os.File // of the first turn, open so that its number is not used again

	seed   maphash.Seed
	leaves map[string][]leafSum // by bucket, in order, as the new file has them
	txid   uint64               // of the commit that the new file is a copy of, 0 for none

	damaged bool            // a row cannot be read, which may name any record
	named   nameSet         // records that rows name
	dropped map[uint64]bool // entries of the index that did not come over, by the first 8 bytes of their names
	wanted  bitset          // records that the new file's index names
	have    bitset          // records that are in the new file
	scanned []byte          // key up to which the records were gone through
	late    []uint64        // records before that which the new file lacks

	records  int // in the new file
	stored   int64
	unused   int
	copied   int64 // bytes of records, for who wants to know how far it is
	expected int64
}

// mirroring says what a mirror does.
type mirroring struct {
	everything bool                    // records that no row names come over, too
	empty      []string                // buckets of which no row comes over
	show       func(done, total int64) // is told how many bytes were copied; may be nil
}

// leafSum is a leaf of which the new file has the rows.
type leafSum struct {
	low []byte
	sum uint64 // 0 for a part of a leaf, which is like no other
}

const (
	// maxRounds is after how many rounds the last one begins, whatever is left to do.
	maxRounds = 12
	// fewBytes is how little a round has to have copied for the next to be the last.
	fewBytes = 256 << 10
)

// errReplaced says that another file took the store's place.
var errReplaced = errors.New("another file took its place meanwhile")

func newMirror(from *Store, to *bbolt.DB, o mirroring) *mirror {
	return &mirror{
		mirroring: o, from: from, to: to, seed: maphash.MakeSeed(), leaves: map[string][]leafSum{},
		dropped: map[uint64]bool{}, wanted: bitset{}, have: bitset{},
	}
}

// inherit notes the records that are in the new file already, which another mirror left
// unfinished. Its rows are compared in the first round like those of an unknown leaf.
func (m *mirror) inherit() error {
	return m.to.View(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte(bucketRecords))
		if b == nil {
			return nil
		}
		return b.ForEach(func(key, stored []byte) error {
			if len(key) == 8 {
				m.have.add(binary.BigEndian.Uint64(key))
			}
			m.records, m.stored, m.copied = m.records+1, m.stored+int64(len(stored)), m.copied+int64(len(stored))
			return nil
		})
	})
}

// close ends the mirror. The new file is whole only if it was finished.
func (m *mirror) close() error {
	if m.file != nil {
		_ = m.file.Close()
	}
	return m.to.Close()
}

// follow goes through rounds until little is left to copy.
func (m *mirror) follow(ctx context.Context) error {
	for range maxRounds {
		size, err := m.round(ctx)
		if err != nil || size <= fewBytes {
			return err
		}
	}
	return nil
}

// round copies what has changed since the last one, and returns how many bytes.
func (m *mirror) round(ctx context.Context) (size int64, err error) {
	var r *round
	for more := true; more; {
		b := newTurnRows()
		err := m.from.View(ctx, func(tx *Tx) (err error) {
			if err = m.sameFile(tx); err == nil && r == nil {
				r, err = m.begin(tx)
			}
			if err == nil {
				end := time.Now().Add(turn)
				more, err = r.advance(tx, b, func() bool { return b.size >= maxStaged || time.Now().After(end) || ctx.Err() != nil })
			}
			return errors.Join(err, ctx.Err())
		})
		if err == nil {
			err = m.apply(b)
		}
		if err != nil {
			return size, err
		}
		if m.show != nil {
			m.show(min(m.copied, m.expected), m.expected)
		}
		if size += b.size; more {
			time.Sleep(pause)
		}
	}
	m.end(r)
	return size, nil
}

// finish makes the new file a copy of what the transaction sees, which is still to be
// brought to the disk.
func (m *mirror) finish(ctx context.Context, tx *Tx) error {
	if err := m.sameFile(tx); err != nil {
		return err
	}
	if m.txid == tx.pages.Txid {
		return nil
	}
	r, err := m.begin(tx)
	for more := true; more && err == nil; {
		b := newTurnRows()
		if more, err = r.advance(tx, b, func() bool { return b.size >= maxStaged || ctx.Err() != nil }); err == nil {
			err = errors.Join(ctx.Err(), m.apply(b))
		}
	}
	if err == nil {
		m.end(r)
	}
	return err
}

// end notes what the new file is a copy of after a round.
func (m *mirror) end(r *round) {
	if m.txid = 0; r.steady {
		m.txid = r.txid
	}
}

// sameFile makes sure that all turns are in the same file.
func (m *mirror) sameFile(tx *Tx) error {
	here, err := tx.file.Stat()
	if err != nil {
		return err
	}
	if m.file == nil {
		if m.file, err = os.Open(m.from.path); err != nil {
			return err
		}
		m.expected = here.Size()
	}
	first, err := m.file.Stat()
	if err == nil && !os.SameFile(here, first) {
		err = errReplaced
	}
	return err
}

// round is a way through all buckets.
type round struct {
	*mirror
	txid   uint64
	steady bool   // all turns saw the same commit
	limit  uint64 // records up to this one are in the index

	buckets []string // that are still to be gone through; the first is under way
	from    []byte   // key in it
	before  []leafSum
	after   []leafSum
}

// begin begins a round. Rows that name records come before the index, and that before
// the records.
func (m *mirror) begin(tx *Tx) (*round, error) {
	names, err := tx.pages.BucketNames()
	if err != nil {
		return nil, m.from.ofStructure(err)
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return name == bucketDigests || name == bucketRecords
	})
	return &round{
		mirror: m, txid: tx.pages.Txid, steady: true,
		buckets: append(names, bucketDigests, bucketRecords),
	}, nil
}

// advance goes on until enough says so, and puts what is to be written into b. It
// reports whether there is more to do.
func (r *round) advance(tx *Tx, b *turnRows, enough func() bool) (more bool, err error) {
	r.steady = r.steady && tx.pages.Txid == r.txid
	for len(r.buckets) > 0 {
		name, done := r.buckets[0], false
		if name == bucketRecords {
			done, err = r.takeRecords(tx, b, enough)
		} else {
			done, err = r.takeRows(tx, name, b, enough)
		}
		if err != nil || !done {
			return true, err
		}
		r.buckets = r.buckets[1:]
	}
	return false, nil
}

// takeRows goes on in a bucket.
func (r *round) takeRows(tx *Tx, name string, b *turnRows, enough func() bool) (done bool, err error) {
	bucket, err := tx.pages.OpenBucket(name)
	if err != nil || bucket == nil {
		return true, r.structure(err)
	}
	b.sequences[name] = bucket.Sequence
	if slices.Contains(r.empty, name) {
		return true, nil
	}
	if r.from == nil {
		if r.before, r.after = r.leaves[name], nil; name == bucketDigests {
			r.limit, err = recordsSequence(tx)
		}
	}
	if err != nil {
		return true, err
	}
	err = bucket.VisitLeaves(r.from, func(l *pages.Leaf) (bool, error) {
		if err := r.takeLeaf(tx, name, l, b); err != nil {
			return false, err
		}
		r.from, done = bytes.Clone(l.High), l.High == nil
		return !enough(), nil
	})
	if err != nil || !done {
		return false, r.structure(err)
	}
	r.leaves[name], r.before, r.after, r.from = r.after, nil, nil, nil
	return true, nil
}

// structure is the error of what package pages found, nil for none.
func (m *mirror) structure(err error) error {
	if err == nil {
		return nil
	}
	return m.from.ofStructure(err)
}

// takeLeaf takes the rows of a leaf unless they are known. Of a leaf that the turn
// begins within, the rows before that are.
func (r *round) takeLeaf(tx *Tx, name string, l *pages.Leaf, b *turnRows) error {
	low, sum := l.Low, uint64(0)
	if bytes.Compare(low, r.from) < 0 {
		low = r.from
	} else {
		var err error
		if sum, err = l.Hash(r.seed); err != nil {
			return err
		}
		if r.knows(low, sum) {
			r.after = append(r.after, leafSum{bytes.Clone(low), sum})
			return nil
		}
	}
	s := span{bucket: name, low: bytes.Clone(low), high: bytes.Clone(l.High)}
	err := l.VisitRows(low, func(key []byte, v pages.Value) error {
		value, err := v.Bytes()
		if err == nil && r.keeps(tx, name, key, value, b) {
			s.rows = append(s.rows, row{key, value})
			b.size += int64(len(key) + len(value))
		}
		return err
	})
	b.spans = append(b.spans, s)
	r.after = append(r.after, leafSum{s.low, sum})
	return err
}

// knows reports whether the new file has a leaf already. Leaves are asked for in order.
func (r *round) knows(low []byte, sum uint64) bool {
	for len(r.before) > 0 && bytes.Compare(r.before[0].low, low) < 0 {
		r.before = r.before[1:]
	}
	return len(r.before) > 0 && bytes.Equal(r.before[0].low, low) && r.before[0].sum == sum
}

func recordsSequence(tx *Tx) (uint64, error) {
	b, err := tx.pages.OpenBucket(bucketRecords)
	if err != nil {
		return 0, tx.store.ofStructure(err)
	}
	return b.Sequence, nil
}

// takeRecords takes the records that the index names and the new file lacks.
func (r *round) takeRecords(tx *Tx, b *turnRows, enough func() bool) (done bool, err error) {
	bucket, err := tx.pages.OpenBucket(bucketRecords)
	if err != nil {
		return true, r.structure(err)
	}
	b.sequences[bucketRecords] = bucket.Sequence
	for len(r.late) > 0 {
		key := numberKey(r.late[0])
		v, found, err := bucket.Get(key)
		if err == nil && found {
			err = b.addRecord(key, v)
		}
		if r.late = r.late[1:]; err != nil || enough() {
			return false, r.structure(err)
		}
	}
	c := bucket.NewCursor()
	key, v, err := c.Seek(append(bytes.Clone(r.scanned), 0))
	for ; key != nil && err == nil; key, v, err = c.Next() {
		take := r.takesRecord(key)
		switch {
		case take == beyond:
			return true, nil
		case take == wanted:
			err = b.addRecord(key, v)
		case take == unwanted:
			r.unused++
		}
		if r.scanned = bytes.Clone(key); err != nil || enough() {
			return false, r.structure(err)
		}
	}
	return true, r.structure(err)
}

// What a round does with a record.
const (
	had = iota
	wanted
	unwanted
	beyond // those that the index named when it was gone through
)

func (r *round) takesRecord(key []byte) int {
	if len(key) != 8 {
		return wanted // damage, which is copied as it is
	}
	seq := binary.BigEndian.Uint64(key)
	switch {
	case r.have.has(seq):
		return had
	case r.wanted.has(seq), r.damaged:
		return wanted
	case seq > r.limit && !r.steady:
		return beyond
	}
	return unwanted
}
