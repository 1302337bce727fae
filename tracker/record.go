package tracker

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/codec"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/memory"
	"github.com/podtrack/podtrack/tracker/rows"
)

// LocateRecords looks up the places of all records of the iterations, reading each page of the index once, for
// a reading transaction that reads many of them.
func (t *Tx) LocateRecords(iterations []schema.Iteration) {
	var names []schema.Digest
	for _, it := range iterations {
		for _, e := range it.Records {
			names = append(names, e.Name)
		}
	}
	t.rows.UsePlaces(t.rows.LookUp(names))
}

// ReadRecord returns the raw bytes whose digest is name. The error is [ErrMissing], [ErrPruned], [ErrDamaged]
// or [memory.ErrNotEnough].
func (t *Tx) ReadRecord(name schema.Digest) ([]byte, error) {
	stored, err := t.rows.ReadStored(name)
	if err != nil {
		return nil, err
	}
	c, err := t.store.Codec()
	if err != nil {
		return nil, err
	}
	return StoredRecord{name: name, stored: stored, codec: c}.Unpack()
}

// RecordSizes returns a record's length in bytes, raw and as stored, from the header of its stored form. Only
// [Tx.ReadRecord] verifies all of it. Short records, whose header has no length, are read.
func (t *Tx) RecordSizes(name schema.Digest) (raw, stored int64, err error) {
	seq, err := t.rows.FindRecord(name)
	if err != nil {
		return 0, 0, err
	}
	head, stored := t.rows.Bucket(rows.BucketRecords).Head(seq, codec.HeadSize)
	raw, sure, err := codec.CheckHead(head, stored)
	if err != nil {
		return 0, 0, storeerr.Damaged("record %s: %v", name, err)
	}
	if !sure {
		record, err := t.ReadRecord(name)
		return int64(len(record)), stored, err
	}
	return raw, stored, nil
}

// RestoreStored writes a record, given in a valid stored form, if the store's own is damaged, missing or pruned, and
// reports whether it is. A row must name the record. It gets a new sequence, since a live copy never reads a place
// twice.
func (t *Tx) RestoreStored(name schema.Digest, stored []byte) (mended bool, err error) {
	if _, err := t.ReadRecord(name); err == nil {
		return false, nil
	}
	c, err := t.store.Codec()
	if err != nil {
		return false, err
	}
	if seq := bytes.Clone(t.rows.PlaceOf(name)); len(seq) == 8 {
		found, err := c.NameOf(t.rows.Bucket(rows.BucketRecords).Get(seq))
		if isOther := err == nil && found != name; !isOther { // else the index is wrong
			if err := t.rows.Remove(rows.BucketRecords, seq); err != nil {
				return false, err
			}
		}
	}
	return true, t.rows.AppendRecord(name, stored)
}

// Load reads a record and decodes it.
func Load[T any](t *Tx, name schema.Digest, decode func([]byte) (T, error)) (v T, err error) {
	record, err := t.ReadRecord(name)
	if err != nil {
		return v, err
	}
	if err = checkDecoded(record); err == nil {
		v, err = decode(record)
	}
	if err != nil {
		return v, fmt.Errorf("record %s: %w", name, err)
	}
	return v, nil
}

// LoadOnly reads and decodes an iteration's only record of a kind.
func LoadOnly[T any](
	t *Tx, it schema.Iteration, kind schema.Kind, decode func([]byte) (T, error),
) (v T, err error) {
	name, err := it.OnlyRecord(kind)
	if err != nil {
		return v, err
	}
	return Load(t, name, decode)
}

// checkDecoded checks that there is memory for the decoded form of a record: as much as its bytes,
// and more for kinds that pack bits.
func checkDecoded(record []byte) error {
	if len(record) < 1<<20 {
		return nil
	}
	kind, err := schema.ReadKind(record)
	if err != nil {
		return err
	}
	need := int64(len(record))
	if kind == schema.KindOption || kind == schema.KindObservations {
		need *= 8
	}
	return memory.Check(need)
}

// A StoredRecord is a record in its stored form, which is not verified yet.
type StoredRecord struct {
	name   schema.Digest
	stored []byte
	codec  *codec.Codec
}

// ReadStored returns a record in its stored form, which stays valid after the transaction.
func (t *Tx) ReadStored(name schema.Digest) (StoredRecord, error) {
	stored, err := t.rows.ReadStored(name)
	if err != nil {
		return StoredRecord{}, err
	}
	c, err := t.store.Codec()
	return StoredRecord{name: name, stored: bytes.Clone(stored), codec: c}, err
}

// Size returns the length of the stored form in bytes.
func (s StoredRecord) Size() int { return len(s.stored) }

// Unpack returns the raw bytes after verifying their digest.
func (s StoredRecord) Unpack() ([]byte, error) {
	raw, err := s.codec.Decode(s.name, s.stored)
	return raw, s.wrapError(err)
}

// Verify verifies the digest of the raw bytes. It takes less memory than to unpack them.
func (s StoredRecord) Verify() error { return s.wrapError(s.codec.Verify(s.name, s.stored)) }

func (s StoredRecord) wrapError(err error) error {
	switch {
	case errors.Is(err, memory.ErrNotEnough):
		return fmt.Errorf("record %s: %w", s.name, err)
	case err != nil:
		return storeerr.Damaged("record %s: %v", s.name, err)
	}
	return nil
}
