package tracker

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// maxLooked is of how many records a removal finds out at once what other runs make of
// them.
const maxLooked = 1 << 18

// removal is a removal of runs under way.
type removal struct {
	store *Store
	pace  pace
	left  []schema.Digest // runs, in order

	// Found out by look about the first of left, so many.

	looked int
	seen   snapshot                   // in which it holds
	names  [][]schema.Digest          // records, of each run each once
	listed map[schema.Digest]int      // by how many of the runs, where that is more than one
	uses   map[schema.Digest]use      // by other runs
	refs   map[schema.Digest][]refKey // rows that point to the runs
}

// refKey is the key of a row that points to a run.
type refKey struct {
	bucket string
	key    []byte
}

// advance is one transaction.
func (r *removal) advance(ctx context.Context) (removed RemoveReport, err error) {
	for changed := 0; ; changed++ {
		if r.looked == 0 && changed < maxChanged {
			if err := r.store.View(ctx, func(tx *Tx) error { return r.look(tx, len(r.left)) }); err != nil {
				return RemoveReport{}, err
			}
		}
		n, size := r.next()
		err := r.pace.update(ctx, r.store, size, func(tx *Tx) (err error) {
			same, err := r.seen.isOf(tx)
			if err == nil && !same && changed < maxChanged {
				return errChanged
			}
			if err == nil && !same {
				err = r.look(tx, n)
				n = r.looked
			}
			if err == nil {
				removed, err = r.removeSome(tx, n)
			}
			return err
		})
		if !errors.Is(err, errChanged) {
			if err != nil {
				return RemoveReport{}, err
			}
			r.pass(n)
			return removed, nil
		}
		r.looked, r.seen = 0, snapshot{}
	}
}

// next is how many runs the next transaction removes, and what that weighs.
func (r *removal) next() (n int, size int64) {
	for n < len(r.left) && (n < r.looked || r.looked == 0) && size < r.pace.limit() {
		records := 16 // who knows
		if n < r.looked {
			records = len(r.names[n])
		}
		size += runWeight + int64(2*rowWeight*records)
		n++
	}
	return n, size
}

// pass goes past runs that were removed.
func (r *removal) pass(n int) {
	for _, names := range r.names[:n] {
		for _, name := range names {
			if r.listed[name] > 1 {
				r.listed[name]--
			}
		}
	}
	r.left, r.names, r.looked, r.seen = r.left[n:], r.names[n:], r.looked-n, r.seen.committed()
}

// look finds out about the next runs that are there, most of them at most.
func (r *removal) look(tx *Tx, most int) (err error) {
	r.names, r.looked = nil, 0
	r.listed, r.uses, r.refs = map[schema.Digest]int{}, map[schema.Digest]use{}, map[schema.Digest][]refKey{}
	if r.seen, err = tx.snapshot(); err != nil {
		return err
	}
	r.left = slices.DeleteFunc(r.left, func(id schema.Digest) bool { return !tx.hasRun(id) }) // others removed them
	these := map[schema.Digest]bool{}
	for _, id := range r.left[:min(most, len(r.left))] {
		if len(r.uses) >= maxLooked && tx.btx == nil {
			break
		}
		these[id] = true
		r.nameAll(tx, id)
	}
	for _, bucket := range []string{bucketOrder, bucketNames} {
		for key, row := range tx.within(bucket, nil) {
			if id, err := decodeRef(bucket, key, row); err == nil && these[id] {
				r.refs[id] = append(r.refs[id], refKey{bucket, bytes.Clone(key)})
			}
		}
	}
	r.looked = len(these)
	return (&ledger{tx: tx, without: these}).weigh(r.uses)
}

// nameAll adds the records that the run's readable rows name. What a damaged row names
// stays in the store until a compaction leaves it behind.
func (r *removal) nameAll(tx *Tx, id schema.Digest) {
	var names []schema.Digest
	for key, row := range tx.within(bucketIterations, id[:]) {
		if it, err := decodeIteration(key, row); err == nil {
			names = appendNames(names, it.Records)
		}
	}
	if c, err := tx.ReadCheckpoint(id); err == nil && c != nil {
		names = appendNames(names, c.Records)
	}
	for e, err := range tx.evaluations(id[:]) {
		if err == nil {
			names = append(names, e.Record)
		}
	}
	names = once(names)
	for _, name := range names {
		if _, twice := r.uses[name]; twice {
			r.listed[name] = max(r.listed[name], 1) + 1
		}
		r.uses[name] = unused
	}
	r.names = append(r.names, names)
}

func appendNames(names []schema.Digest, entries []schema.Entry) []schema.Digest {
	for _, e := range entries {
		names = append(names, e.Name)
	}
	return names
}

// removeSome removes the first n runs, whose own rows may be damaged. A record that a
// later one lists stays until that goes.
func (r *removal) removeSome(tx *Tx, n int) (removed RemoveReport, err error) {
	done := map[schema.Digest]int{}
	for i, id := range r.left[:n] {
		if err := tx.removable(id); err != nil {
			return removed, err
		}
		if err := tx.removeRows(id, r.refs[id]); err != nil {
			return removed, err
		}
		for _, name := range r.names[i] {
			if done[name]++; done[name] < r.listed[name] {
				continue
			}
			if err := tx.settle(name, r.uses[name], &removed); err != nil {
				return removed, err
			}
		}
		removed.Runs++
	}
	return removed, nil
}

// removeRows deletes every row of a run and those that point to it.
func (t *Tx) removeRows(id schema.Digest, refs []refKey) error {
	for _, ref := range refs {
		if err := t.remove(ref.bucket, ref.key); err != nil {
			return err
		}
	}
	for _, bucket := range ofRun {
		for _, key := range t.keys(bucket, id[:]) {
			if err := t.remove(bucket, key); err != nil {
				return err
			}
		}
	}
	return nil
}
