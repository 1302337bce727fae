package tracker

import (
	"errors"
	"fmt"
	"iter"
	"os"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/pages"
)

// A Tx is a transaction. It is for one goroutine, and valid until the function that it was passed
// to returns.
type Tx struct {
	store   *Store
	format  uint64
	buckets map[string]bucket // by name; a missing optional one is nil
	pages   *pages.File       // as the transaction found it
	file    *os.File          // the store's file
	btx     *bbolt.Tx         // nil in a reading transaction
	specs   schema.SpecCache  // cache of decoded specs

	lookedUp map[schema.Digest][]byte // places of records that were looked up in advance, in a reading transaction
}

// A Run is the identity of a run. Its ID is the digest of all of it but the number.
type Run struct {
	ID     schema.Digest
	Spec   schema.Spec
	Start  *schema.Digest // link at which a fork begins, nil if the run is no fork
	Number uint64         // order of creation, from 1; numbers of removed runs are not reused

	Ancestors []Ancestor // of a fork, the oldest first
}

func (t *Tx) hasRun(id schema.Digest) bool { return t.buckets[bucketRuns].Get(id[:]) != nil }

// ReadRun returns the run with that ID.
func (t *Tx) ReadRun(id schema.Digest) (Run, error) {
	value, err := t.getRow(bucketRuns, id[:])
	if err != nil {
		return Run{}, err
	}
	if value == nil {
		return Run{}, missingError("run %s", id)
	}
	row, named, err := t.decodeRun(id[:], value)
	if err != nil {
		return Run{}, err
	}
	if named != id {
		return Run{}, damagedError("run %s: its row belongs to another run", id)
	}
	return Run{ID: id, Spec: row.Spec, Start: row.Start, Number: row.Number, Ancestors: row.Ancestors}, nil
}

// readIndexedRun returns a run to which a number or a name refers. It is damage if the run is
// missing.
func (t *Tx) readIndexedRun(id schema.Digest) (Run, error) {
	r, err := t.ReadRun(id)
	if errors.Is(err, ErrMissing) {
		err = damagedError("run %s has a number or a name, but does not exist", id)
	}
	return r, err
}

// Runs yields all runs, newest first. It continues after an error.
func (t *Tx) Runs() iter.Seq2[Run, error] {
	return func(yield func(Run, error) bool) {
		for id, err := range t.orderedRunIDs() {
			var run Run
			if err == nil {
				run, err = t.readIndexedRun(id)
			}
			if !yield(run, err) {
				return
			}
		}
	}
}

// orderedRunIDs yields the IDs of all runs, newest first.
func (t *Tx) orderedRunIDs() iter.Seq2[schema.Digest, error] {
	return func(yield func(schema.Digest, error) bool) {
		c := t.buckets[bucketOrder].Cursor()
		for key, row := c.Last(); key != nil; key, row = c.Prev() {
			if !yield(decodeRef(bucketOrder, key, row)) {
				return
			}
		}
	}
}

func decodeRef(bucket string, key, row []byte) (schema.Digest, error) {
	value, err := verifyRow(bucket, key, row)
	if err != nil {
		return schema.Digest{}, err
	}
	ref, err := decodeRow[runRef](bucket, key, value)
	return ref.Run, err
}

// createRun returns the run, and creates it if necessary.
func (t *Tx) createRun(c Claim) (Run, error) {
	id, err := schema.RunID(c.Spec, c.Start)
	if err != nil {
		return Run{}, err
	}
	if t.hasRun(id) {
		return t.ReadRun(id)
	}
	r := Run{ID: id, Spec: c.Spec, Start: c.Start}
	if c.Start != nil {
		if r.Ancestors, err = t.createFork(c, id); err != nil {
			return Run{}, err
		}
	}
	return t.insertRun(r, Annotation{Created: t.store.now().UnixNano()})
}

// insertRun writes the rows of a new run, under the next number.
func (t *Tx) insertRun(r Run, a Annotation) (Run, error) {
	var err error
	if r.Number, err = t.buckets[bucketOrder].NextSequence(); err != nil {
		return Run{}, fmt.Errorf("number run %s: %w", r.ID, err)
	}
	if t.buckets[bucketOrder].Get(numberKey(r.Number)) != nil {
		return Run{}, damagedError("number run %s: %d is taken: the bucket's sequence is wrong", r.ID, r.Number)
	}
	if err := writeRow(t, bucketRuns, r.ID[:],
		runRow{Number: r.Number, Spec: r.Spec, Start: r.Start, Ancestors: r.Ancestors}); err != nil {
		return Run{}, err
	}
	if err := writeRow(t, bucketOrder, numberKey(r.Number), runRef{Run: r.ID}); err != nil {
		return Run{}, err
	}
	return r, t.writeAnnotation(r.ID, a)
}
