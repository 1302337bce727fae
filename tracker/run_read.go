package tracker

import (
	"errors"
	"iter"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

// ReadRun returns the run with that ID.
func (t *Tx) ReadRun(id schema.Digest) (Run, error) {
	value, err := t.rows.Get(rows.BucketRuns, id[:])
	if err != nil {
		return Run{}, err
	}
	if value == nil {
		return Run{}, storeerr.Missing("run %s", id)
	}
	r, err := decodeRun(id[:], value, &t.specs)
	if err != nil {
		return Run{}, err
	}
	if r.ID != id {
		return Run{}, storeerr.Damaged("run %s: its row belongs to another run", id)
	}
	return r, nil
}

// readIndexedRun returns a run to which a number or a name refers. A missing run is damage.
func (t *Tx) readIndexedRun(id schema.Digest) (Run, error) {
	r, err := t.ReadRun(id)
	if errors.Is(err, ErrMissing) {
		err = storeerr.Damaged("run %s has a number or a name, but does not exist", id)
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
		c := t.rows.Bucket(rows.BucketOrder).Cursor()
		for key, row := c.Last(); key != nil; key, row = c.Prev() {
			if !yield(rows.DecodeRef(rows.BucketOrder, key, row)) {
				return
			}
		}
	}
}
