package rows

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
)

// Tombstone is the index entry of a pruned record, in place of its sequence. No sequence is a single byte.
var Tombstone = []byte{0}

// IsTombstone reports whether an index entry is a tombstone.
func IsTombstone(place []byte) bool { return bytes.Equal(place, Tombstone) }

// SplitEntry splits an index entry into the place of the record, a sequence or a tombstone, and the number of its
// owner, 0 for none: the only run that names the record, and needs it for a while, so that it drops the record without
// a search for others.
func SplitEntry(entry []byte) (place []byte, owner uint64) {
	if len(entry) != MaxEntry {
		return entry, 0
	}
	return entry[:8:8], binary.BigEndian.Uint64(entry[8:])
}

// MaxEntry is the length in bytes of the longest entry of the index.
const MaxEntry = 8 + 8

// HasRecord reports whether the store has a record of that name that is not pruned. It does not read the record.
func (t *Tx) HasRecord(name schema.Digest) bool {
	place := t.PlaceOf(name)
	return place != nil && !IsTombstone(place)
}

// IsPruned reports whether the record of that name was pruned.
func (t *Tx) IsPruned(name schema.Digest) bool {
	return IsTombstone(t.PlaceOf(name))
}

// PlaceOf returns the place of a record: a sequence, a tombstone, or nil if it is not indexed.
func (t *Tx) PlaceOf(name schema.Digest) []byte {
	place, _ := SplitEntry(t.entryOf(name))
	return place
}

// OwnerOf returns the number of the run that owns a record, 0 for none: see [SplitEntry].
func (t *Tx) OwnerOf(name schema.Digest) uint64 {
	_, owner := SplitEntry(t.entryOf(name))
	return owner
}

// Disown removes the owner of a record, since another run names it, or the owner keeps it.
func (t *Tx) Disown(name schema.Digest) {
	if t.OwnerOf(name) != 0 {
		t.setPlace(name, bytes.Clone(t.PlaceOf(name)))
	}
}

func (t *Tx) entryOf(name schema.Digest) []byte {
	if entry, known := t.places[name]; known {
		return entry
	}
	return t.buckets[BucketDigests].Get(name[:])
}

// LookUp looks up the places of records, in the order of names so that each page of the index is read once.
func (t *Tx) LookUp(names []schema.Digest) Places {
	SortNames(names)
	found := make(Places, len(names))
	slab := make([]byte, 0, MaxEntry*len(names))
	for _, name := range names {
		switch place := t.buckets[BucketDigests].Get(name[:]); {
		case place == nil:
			found[name] = nil
		case len(place) <= MaxEntry:
			slab = append(slab, place...)
			found[name] = slab[len(slab)-len(place) : len(slab) : len(slab)]
		}
	}
	return found
}

// UsePlaces lets the transaction use places that were looked up earlier in the same state of the store. The
// caller must not change them; if the transaction writes, it owns them.
func (t *Tx) UsePlaces(p Places) { t.places = p }

// FindRecord returns the key under which a record is stored.
func (t *Tx) FindRecord(name schema.Digest) (seq []byte, err error) {
	seq = t.PlaceOf(name)
	switch {
	case seq == nil:
		return nil, schema.Hint(fmt.Errorf("record %s: %w", name, storeerr.ErrMissing), storeerr.AdviceCheck)
	case IsTombstone(seq):
		return nil, schema.Hint(fmt.Errorf("record %s: %w", name, storeerr.ErrPruned), storeerr.AdviceRestore)
	}
	return seq, nil
}

// ReadStored returns a record in its stored form. The bytes are valid during the transaction and must not be modified.
func (t *Tx) ReadStored(name schema.Digest) ([]byte, error) {
	seq, err := t.FindRecord(name)
	if err != nil {
		return nil, err
	}
	stored := t.buckets[BucketRecords].Get(seq)
	if stored == nil {
		return nil, storeerr.Damaged("record %s: no record at its place in the index", name)
	}
	return stored, nil
}

// AppendRecord adds a record after all others and indexes it.
func (t *Tx) AppendRecord(name schema.Digest, stored []byte) error {
	return t.AppendOwned(name, stored, 0)
}

// AppendOwned adds a record like [Tx.AppendRecord], and sets its owner, unless that is 0: see [SplitEntry].
func (t *Tx) AppendOwned(name schema.Digest, stored []byte, owner uint64) error {
	entry, err := t.appendStored(stored)
	if err != nil {
		return fmt.Errorf("append record %s: %w", name, err)
	}
	if owner != 0 {
		entry = binary.BigEndian.AppendUint64(entry, owner)
	}
	t.setPlace(name, entry)
	return nil
}

func (t *Tx) appendStored(stored []byte) (seq []byte, err error) {
	n, err := t.buckets[BucketRecords].NextSequence()
	if err != nil {
		return nil, err
	}
	seq = binary.BigEndian.AppendUint64(nil, n)
	if t.buckets[BucketRecords].Get(seq) != nil {
		return nil, storeerr.Damaged("record %d already exists: the bucket's sequence is wrong", n)
	}
	return seq, t.PutStored(seq, stored)
}

func (t *Tx) setPlace(name schema.Digest, place []byte) {
	if t.places == nil {
		t.places = Places{}
	}
	t.places[name] = place
	t.unindexed = append(t.unindexed, name)
}

// WriteIndex writes the index entries of the transaction before it is committed, in the order of digests: bbolt
// inserts keys in random order into an ever longer page.
func (t *Tx) WriteIndex() error {
	SortNames(t.unindexed)
	for _, name := range t.unindexed {
		place := t.places[name]
		if place == nil {
			continue // deleted since
		}
		if err := t.buckets[BucketDigests].Put(name[:], place); err != nil {
			return fmt.Errorf("index record %s: %w", name, err)
		}
	}
	t.unindexed = nil
	return nil
}

// SortNames sorts names of records in the order of the index.
func SortNames(names []schema.Digest) {
	slices.SortFunc(names, schema.Digest.Compare)
}

// PutStored writes a record in its stored form at a place.
func (t *Tx) PutStored(seq, stored []byte) error {
	if err := t.buckets[BucketRecords].Put(seq, stored); err != nil {
		return fmt.Errorf("write record %x: %w", seq, err)
	}
	return nil
}

// DeleteRecord deletes a record and its index entry, and returns the stored size.
func (t *Tx) DeleteRecord(name schema.Digest) (stored int64, err error) {
	if stored, err = t.deleteStored(name); err != nil {
		return 0, err
	}
	delete(t.places, name)
	return stored, t.Remove(BucketDigests, name[:])
}

// PutTombstone replaces a record by a tombstone, and returns the stored size. A record that the
// store never had gets a tombstone too.
func (t *Tx) PutTombstone(name schema.Digest) (stored int64, err error) {
	if stored, err = t.deleteStored(name); err != nil {
		return 0, err
	}
	t.setPlace(name, Tombstone)
	return stored, nil
}

// deleteStored deletes a record but not its index entry, and returns the stored size.
func (t *Tx) deleteStored(name schema.Digest) (stored int64, err error) {
	if !t.HasRecord(name) {
		return 0, nil
	}
	seq := bytes.Clone(t.PlaceOf(name))
	stored = int64(len(t.buckets[BucketRecords].Get(seq)))
	return stored, t.Remove(BucketRecords, seq)
}
