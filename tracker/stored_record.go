package tracker

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/codec"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/memory"
)

// A StoredRecord is a record in its stored form, which is not verified yet.
type StoredRecord struct {
	name   schema.Digest
	stored []byte
	codec  *codec.Codec
}

// A StoredResult is a record in its stored form, or why it cannot be read.
type StoredResult struct {
	StoredRecord
	Err error
}

// ReadStored returns a record in its stored form, which stays valid after the transaction.
func (t *Tx) ReadStored(name schema.Digest) (StoredRecord, error) {
	stored, err := t.rows.ReadStored(name)
	if err != nil {
		return StoredRecord{}, err
	}
	return t.keepStored(name, stored)
}

func (t *Tx) keepStored(name schema.Digest, stored []byte) (StoredRecord, error) {
	c, err := t.store.Codec()
	return StoredRecord{name, bytes.Clone(stored), c}, err
}

// ReadStoredWithin reads the first of the named records that take at most room bytes together, in their stored form,
// and calls visit with each of them in order. It reads each page of the index once.
func (t *Tx) ReadStoredWithin(names []schema.Digest, room int, visit func(schema.Digest, StoredResult)) {
	t.rows.UsePlaces(t.rows.LookUp(slices.Clone(names)))
	for _, name := range names {
		stored, size, err := t.rows.ReadStoredWithin(name, room)
		if size > int64(room) {
			return
		}
		r := StoredResult{Err: err}
		if err == nil {
			r.StoredRecord, r.Err = t.keepStored(name, stored)
		}
		visit(name, r)
		room -= int(size)
	}
}

// Unpack returns the raw bytes after verifying their digest.
func (s StoredRecord) Unpack() ([]byte, error) {
	raw, err := s.codec.Decode(s.name, s.stored)
	return raw, s.wrapError(err)
}

// CheckHolds returns an error unless the record is the given one, which has its name. It is faster than to unpack it.
func (s StoredRecord) CheckHolds(mem *codec.Scratch, record []byte) error {
	return s.wrapError(s.codec.CheckHolds(mem, s.name, s.stored, record))
}

func (s StoredRecord) wrapError(err error) error {
	switch {
	case errors.Is(err, memory.ErrNotEnough):
		return fmt.Errorf("record %s: %w", s.name, err)
	case err != nil:
		return storeerr.Damaged("record %s: %v", s.name, err)
	}
	return nil
}
