package gc

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	"github.com/podtrack/podtrack/tracker/rows"
)

type removal struct {
	store     *tracker.Store
	remaining []schema.Digest // runs, in order

	// Set by examine for the first examined runs of remaining.

	examined int
	file     os.FileInfo                // of the store, nil if the following is valid for no state of it
	txid     uint64                     // the commit for which it is valid
	names    [][]schema.Digest          // by run: the records that neither a later one of these runs nor another run lists
	refs     map[schema.Digest][]refKey // rows that refer to the runs
}

type refKey struct {
	bucket string
	key    []byte
}

func (r *removal) step(ctx context.Context) (removed RemoveReport, err error) {
	for changed := 0; ; changed++ {
		if r.examined == 0 && changed < maxStaleRetries {
			if err := r.store.View(ctx, func(tx *tracker.Tx) error { return r.examine(tx, len(r.remaining)) }); err != nil {
				return RemoveReport{}, err
			}
		}
		n, size := r.nextSize()
		err := r.store.UpdateSized(ctx, size, func(tx *tracker.Tx) (err error) {
			same, err := r.isCurrent(tx)
			if err == nil && !same && changed < maxStaleRetries {
				return errStale
			}
			if err == nil && !same {
				err = r.examine(tx, n)
				n = r.examined
			}
			if err == nil {
				removed, err = r.removeFirst(tx, n)
			}
			return err
		})
		if !errors.Is(err, errStale) {
			if err != nil {
				return RemoveReport{}, err
			}
			r.remaining, r.names, r.examined, r.txid = r.remaining[n:], r.names[n:], r.examined-n, r.txid+1
			return removed, nil
		}
		r.examined, r.file = 0, nil
	}
}

// isCurrent reports whether the transaction sees the state that was examined.
func (r *removal) isCurrent(tx *tracker.Tx) (bool, error) {
	now, err := tx.Stat()
	return err == nil && os.SameFile(r.file, now) && r.txid == tx.Rows().Pages.Txid, err
}

// nextSize returns the number of runs that the next transaction removes, and its size.
func (r *removal) nextSize() (n int, size int64) {
	for n < len(r.remaining) && (n < r.examined || r.examined == 0) && size < portion.Tx {
		records := 16 // a guess
		if n < r.examined {
			records = len(r.names[n])
		}
		size += rows.RunBytes + int64(2*tracker.RowCost*records)
		n++
	}
	return n, size
}

// examine determines the records and references of the next existing runs, at most most of them. A damaged row of
// another run is an error, since it may name any record.
func (r *removal) examine(tx *tracker.Tx, most int) (err error) {
	r.names, r.examined, r.refs = nil, 0, map[schema.Digest][]refKey{}
	if r.file, err = tx.Stat(); err != nil {
		return err
	}
	r.txid = tx.Rows().Pages.Txid
	// other processes may have removed some
	r.remaining = slices.DeleteFunc(r.remaining, func(id schema.Digest) bool {
		return !tx.Rows().HasRun(id)
	})
	these, last := map[schema.Digest]bool{}, map[schema.Digest]int{} // the last run that lists a record
	for i, id := range r.remaining[:min(most, len(r.remaining))] {
		if len(last) >= portion.Examined && tx.Rows().Bolt == nil {
			break
		}
		these[id] = true
		r.names = append(r.names, namesOf(tx, id))
		for _, name := range r.names[i] {
			last[name] = i
		}
	}
	for _, bucket := range []string{rows.BucketOrder, rows.BucketNames} {
		for key, row := range tx.Rows().WithPrefix(bucket, nil) {
			if id, err := rows.DecodeRef(bucket, key, row); err == nil && these[id] {
				r.refs[id] = append(r.refs[id], refKey{bucket, bytes.Clone(key)})
			}
		}
	}
	for row, err := range tx.NamingRows(nil, these) {
		if err != nil {
			return err
		}
		for _, e := range row.Records {
			delete(last, e.Name)
		}
	}
	for i, names := range r.names {
		r.names[i] = slices.DeleteFunc(names, func(name schema.Digest) bool {
			at, only := last[name]
			return !only || at != i
		})
	}
	r.examined = len(these)
	return nil
}

// namesOf returns the records that the run's readable rows name, without repetitions. Records that only a damaged row
// names remain in the store until a compaction.
func namesOf(tx *tracker.Tx, id schema.Digest) (names []schema.Digest) {
	for row, err := range tx.NamingRows(id[:], nil) {
		if err != nil {
			continue
		}
		for _, e := range row.Records {
			names = append(names, e.Name)
		}
	}
	return rows.Dedupe(names)
}

// removeFirst removes the first n runs, whose rows may be damaged.
func (r *removal) removeFirst(tx *tracker.Tx, n int) (removed RemoveReport, err error) {
	for i, id := range r.remaining[:n] {
		if err := checkRemovable(tx, id); err != nil {
			return removed, err
		}
		if err := removeRows(tx, id, r.refs[id]); err != nil {
			return removed, err
		}
		for _, name := range r.names[i] {
			if tx.Rows().HasRecord(name) {
				removed.Records++
			}
			stored, err := tx.Rows().DeleteRecord(name)
			if err != nil {
				return removed, err
			}
			removed.Stored += stored
		}
		removed.Runs++
	}
	return removed, nil
}

// removeRows deletes every row of a run and the rows that refer to it.
func removeRows(tx *tracker.Tx, id schema.Digest, refs []refKey) error {
	for _, ref := range refs {
		if err := tx.Rows().Remove(ref.bucket, ref.key); err != nil {
			return err
		}
	}
	for _, bucket := range rows.RunBuckets {
		for _, key := range tx.Rows().Keys(bucket, id[:]) {
			if err := tx.Rows().Remove(bucket, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxStaleRetries is the number of times that a stale result about a store is computed again before the writing
// transaction, until it is computed within it.
const maxStaleRetries = 3

// errStale ends a transaction because the store has changed since it was examined.
var errStale = errors.New("the store has changed")
