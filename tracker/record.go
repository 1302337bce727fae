package tracker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/codec"
	"github.com/podtrack/podtrack/tracker/memory"
)

// HasRecord reports whether the store has a record of that name that is not pruned. It does not
// read the record.
func (t *Tx) HasRecord(name schema.Digest) bool {
	place := t.buckets[bucketDigests].Get(name[:])
	return place != nil && !isTombstone(place)
}

// IsPruned reports whether the record of that name was pruned.
func (t *Tx) IsPruned(name schema.Digest) bool {
	return isTombstone(t.buckets[bucketDigests].Get(name[:]))
}

// A tombstone stands in the index in place of the sequence of a record that was
// pruned. No sequence is a single byte.
var tombstone = []byte{0}

func isTombstone(place []byte) bool { return bytes.Equal(place, tombstone) }

// ReadRecord returns the raw bytes whose digest is name. The error is an [ErrMissing], [ErrPruned],
// [ErrDamaged] or [memory.ErrNotEnough].
func (t *Tx) ReadRecord(name schema.Digest) ([]byte, error) {
	stored, err := t.readStored(name)
	if err != nil {
		return nil, err
	}
	c, err := t.store.codec()
	if err != nil {
		return nil, err
	}
	raw, err := c.Decode(name, stored)
	switch {
	case errors.Is(err, memory.ErrNotEnough):
		return nil, fmt.Errorf("record %s: %w", name, err)
	case err != nil:
		return nil, damagedError("record %s: %v", name, err)
	}
	return raw, nil
}

// RecordSizes returns a record's length in bytes, raw and as stored, according to the header of its
// stored form; only [Tx.ReadRecord] verifies all of it. Short records are read.
func (t *Tx) RecordSizes(name schema.Digest) (raw, stored int64, err error) {
	seq, err := t.findRecord(name)
	if err != nil {
		return 0, 0, err
	}
	head, stored := t.buckets[bucketRecords].Head(seq, codec.HeadSize)
	raw, sure, err := codec.CheckHead(head, stored)
	if err != nil {
		return 0, 0, damagedError("record %s: %v", name, err)
	}
	if !sure {
		record, err := t.ReadRecord(name)
		return int64(len(record)), stored, err
	}
	return raw, stored, nil
}

// RestoreRecord writes a record whose stored form is damaged, missing or pruned, and reports
// whether it was. It uses a new sequence, since a live copy reads no place twice. The caller has
// seen the record's name in a row.
func (t *Tx) RestoreRecord(record []byte) (mended bool, err error) {
	name := schema.Name(record)
	if _, err := t.ReadRecord(name); err == nil {
		return false, nil
	}
	c, err := t.store.codec()
	if err != nil {
		return false, err
	}
	stored, err := c.Pack(record)
	if err != nil {
		return false, err
	}
	if seq := t.buckets[bucketDigests].Get(name[:]); len(seq) == 8 && !t.holdsOther(seq, name) {
		if err := t.removeRow(bucketRecords, bytes.Clone(seq)); err != nil {
			return false, err
		}
	}
	return true, t.appendRecord(name, stored)
}

// holdsOther reports whether the record at seq is a valid one of another name: then the index is
// wrong.
func (t *Tx) holdsOther(seq []byte, name schema.Digest) bool {
	c, err := t.store.codec()
	if err != nil {
		return true
	}
	found, err := c.NameOf(t.buckets[bucketRecords].Get(seq))
	return err == nil && found != name
}

// findRecord returns the key under which a record is stored.
func (t *Tx) findRecord(name schema.Digest) (seq []byte, err error) {
	if seq = t.lookedUp[name]; seq == nil {
		seq = t.buckets[bucketDigests].Get(name[:])
	}
	switch {
	case seq == nil:
		return nil, schema.Advise(fmt.Errorf("record %s: %w", name, ErrMissing), AdviceCheck)
	case isTombstone(seq):
		return nil, prunedError("record %s", name)
	}
	return seq, nil
}

// readStored returns a record in its stored form. The bytes are valid during the transaction and
// must not be modified.
func (t *Tx) readStored(name schema.Digest) ([]byte, error) {
	seq, err := t.findRecord(name)
	if err != nil {
		return nil, err
	}
	stored := t.buckets[bucketRecords].Get(seq)
	if stored == nil {
		return nil, damagedError("record %s: its place is empty", name)
	}
	return stored, nil
}

// appendRecord adds a record after all others and indexes it.
func (t *Tx) appendRecord(name schema.Digest, stored []byte) error {
	seq, err := t.appendStored(stored)
	if err != nil {
		return fmt.Errorf("append record %s: %w", name, err)
	}
	return t.putIndex(name, seq)
}

// appendStored adds a record after all others and returns its place. The caller must index it.
func (t *Tx) appendStored(stored []byte) (seq []byte, err error) {
	n, err := t.buckets[bucketRecords].NextSequence()
	if err != nil {
		return nil, err
	}
	seq = binary.BigEndian.AppendUint64(nil, n)
	if t.buckets[bucketRecords].Get(seq) != nil {
		return nil, damagedError("record %d: its place is taken: the bucket's sequence is wrong", n)
	}
	return seq, t.putStored(seq, stored)
}

func (t *Tx) putIndex(name schema.Digest, place []byte) error {
	if err := t.buckets[bucketDigests].Put(name[:], place); err != nil {
		return fmt.Errorf("index record %s: %w", name, err)
	}
	return nil
}

func (t *Tx) putStored(seq, stored []byte) error {
	if len(stored) > 0 && stored[0] == codec.Delta {
		if err := t.raiseFormat(formatDelta); err != nil {
			return err
		}
	}
	if err := t.buckets[bucketRecords].Put(seq, stored); err != nil {
		return fmt.Errorf("write record %x: %w", seq, err)
	}
	return nil
}

// deleteRecord deletes a record and its index entry, and returns the stored size.
func (t *Tx) deleteRecord(name schema.Digest) (stored int64, err error) {
	if stored, err = t.deleteStored(name); err != nil {
		return 0, err
	}
	return stored, t.removeRow(bucketDigests, name[:])
}

// putTombstone replaces a record by a tombstone, and returns the stored size. A record that the
// store never had gets a tombstone too.
func (t *Tx) putTombstone(name schema.Digest) (stored int64, err error) {
	if err := t.allowPruning(); err != nil {
		return 0, err
	}
	if stored, err = t.deleteStored(name); err != nil {
		return 0, err
	}
	return stored, t.putIndex(name, tombstone)
}

// deleteStored deletes a record but not its index entry, and returns the stored size.
func (t *Tx) deleteStored(name schema.Digest) (stored int64, err error) {
	if !t.HasRecord(name) {
		return 0, nil
	}
	seq := bytes.Clone(t.buckets[bucketDigests].Get(name[:]))
	stored = int64(len(t.buckets[bucketRecords].Get(seq)))
	return stored, t.removeRow(bucketRecords, seq)
}
