package tracker

import (
	"bytes"

	"github.com/podtrack/podtrack/schema"
)

// Removed is what a removal took out of the store. The file does not shrink,
// but new records will use the space.
type Removed struct {
	Runs    int   `json:"runs"`
	Records int   `json:"records"`
	Stored  int64 `json:"stored"` // bytes of those records as stored
}

// Remove deletes runs, and the records that no iteration or checkpoint of
// another run keeps. It removes none of them if a living process works on one.
func (t *Tx) Remove(ids ...schema.Digest) (Removed, error) {
	runs, doomed := map[schema.Digest]bool{}, map[schema.Digest]use{}
	for _, id := range ids {
		if err := t.removable(id); err != nil {
			return Removed{}, err
		}
		runs[id] = true
		t.nameAll(id, doomed)
	}
	if err := t.removeRows(runs); err != nil {
		return Removed{}, err
	}
	if err := (&ledger{tx: t}).weigh(doomed); err != nil {
		return Removed{}, err
	}
	removed, err := t.settle(doomed)
	removed.Runs = len(runs)
	return removed, err
}

func (t *Tx) removable(id schema.Digest) error {
	if !t.hasRun(id) {
		return missing("run %s", id)
	}
	l, err := t.Lease(id)
	if err == nil && l != nil && t.alive(*l) {
		return t.held(id, *l)
	}
	return nil // a damaged lease is no reason to keep the run
}

// nameAll adds the records that the run's readable rows name. What a damaged
// row names stays in the store until a compaction leaves it behind.
func (t *Tx) nameAll(id schema.Digest, names map[schema.Digest]use) {
	for key, row := range t.within(bucketIterations, id[:]) {
		if it, err := decodeIteration(key, row); err == nil {
			mark(names, it.Records)
		}
	}
	if c, err := t.Checkpoint(id); err == nil && c != nil {
		mark(names, c.Records)
	}
	for e, err := range t.evaluations(id[:]) {
		if err == nil {
			names[e.Record] = unused
		}
	}
}

func mark(names map[schema.Digest]use, entries []schema.Entry) {
	for _, e := range entries {
		names[e.Name] = unused
	}
}

// removeRows deletes every row of the runs and those that point to them. The
// latter are searched for: a run's own rows, which say where they are, may be
// damaged.
func (t *Tx) removeRows(runs map[schema.Digest]bool) error {
	for _, bucket := range []string{bucketOrder, bucketNames} {
		if err := t.removeKeys(bucket, t.refs(bucket, runs)); err != nil {
			return err
		}
	}
	for id := range runs {
		for _, bucket := range ofRun {
			if err := t.removeKeys(bucket, t.keys(bucket, id[:])); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *Tx) removeKeys(bucket string, keys [][]byte) error {
	for _, key := range keys {
		if err := t.remove(bucket, key); err != nil {
			return err
		}
	}
	return nil
}

// refs are copies of the keys of the readable rows that point to the runs.
func (t *Tx) refs(bucket string, runs map[schema.Digest]bool) [][]byte {
	var keys [][]byte
	for key, row := range t.within(bucket, nil) {
		if id, err := decodeRef(bucket, key, row); err == nil && runs[id] {
			keys = append(keys, bytes.Clone(key))
		}
	}
	return keys
}

// keys are copies of the keys that begin with prefix.
func (t *Tx) keys(bucket string, prefix []byte) [][]byte {
	var keys [][]byte
	for key := range t.within(bucket, prefix) {
		keys = append(keys, bytes.Clone(key))
	}
	return keys
}

// settle drops the records that no row names, and prunes those that are named by
// rows alone that do not keep them.
func (t *Tx) settle(doomed map[schema.Digest]use) (removed Removed, err error) {
	for name, use := range doomed {
		discard := t.drop
		switch {
		case use == kept:
			continue
		case use == named:
			discard = t.entomb
		}
		if t.Has(name) {
			removed.Records++
		}
		stored, err := discard(name)
		if err != nil {
			return removed, err
		}
		removed.Stored += stored
	}
	return removed, nil
}
