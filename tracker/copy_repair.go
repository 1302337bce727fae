package tracker

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/codec"
	"github.com/podtrack/podtrack/tracker/memory"
)

// localCheck reads what the target has of runs that are also in the source, to find damaged or
// missing records.
type localCheck struct {
	c     *copier
	group []*runReader // runs whose iterations are still to be listed
	k     int          // next iteration of the first of group

	listed  []localRecord  // records that are still to be read
	records []storedRecord // records that were read
	owners  []*runReader   // by record
	size    int64          // of records, in bytes
}

// localRecord is a record that a run of the target lists.
type localRecord struct {
	w     *runReader
	entry schema.Entry
	place []byte
}

// maxLocalRecords is the number of records that are looked up at once. In sorted order many of them
// share a page.
const maxLocalRecords = 1 << 14

// findBroken finds the damaged or missing records that the target has of the runs.
func (c *copier) findBroken(ctx context.Context, group []*runReader) error {
	packer, err := c.to.codec()
	if err != nil {
		return err
	}
	for x := (&localCheck{c: c, group: group}); err == nil && len(x.group) > 0; {
		if err = c.to.runInShortTxs(ctx, x.listRecords); err == nil {
			err = c.to.View(ctx, x.locateRecords)
		}
		for err == nil && len(x.listed) > 0 {
			x.records, x.owners, x.size = x.records[:0], x.owners[:0], 0
			if err = c.to.runInShortTxs(ctx, x.readRecord); err == nil {
				err = x.verifyRecords(ctx, packer)
			}
		}
	}
	return err
}

// listRecords lists the records of an iteration.
func (x *localCheck) listRecords(tx *Tx) (more bool, err error) {
	w := x.group[0]
	if w.err != nil || x.k >= min(len(w.ourLinks), w.done) {
		x.group, x.k = x.group[1:], 0
		return len(x.group) > 0, nil
	}
	it, err := tx.ReadIteration(w.run.ID, x.k)
	if err != nil {
		w.err = refusedHereError(err)
		return true, nil
	}
	for _, e := range it.Records {
		x.listed = append(x.listed, localRecord{w: w, entry: e})
	}
	x.k++
	return len(x.listed) < maxLocalRecords, nil
}

// locateRecords looks up the places of the listed records, and sorts the records by place.
func (x *localCheck) locateRecords(tx *Tx) error {
	slices.SortFunc(x.listed, func(a, b localRecord) int { return bytes.Compare(a.entry.Name[:], b.entry.Name[:]) })
	there := x.listed[:0]
	for _, at := range x.listed {
		place, err := tx.findRecord(at.entry.Name)
		switch {
		case errors.Is(err, ErrPruned):
		case err != nil:
			at.w.addBroken(at.entry.Name)
		default:
			at.place = bytes.Clone(place)
			there = append(there, at)
		}
	}
	x.listed = there
	slices.SortFunc(x.listed, func(a, b localRecord) int { return bytes.Compare(a.place, b.place) })
	return nil
}

// readRecord reads the next record in its stored form.
func (x *localCheck) readRecord(tx *Tx) (more bool, err error) {
	if len(x.listed) == 0 {
		return false, nil
	}
	at := x.listed[0]
	x.listed = x.listed[1:]
	if stored := tx.buckets[bucketRecords].Get(at.place); stored == nil {
		at.w.addBroken(at.entry.Name)
	} else {
		x.records, x.owners = append(x.records,
			storedRecord{entry: at.entry, stored: bytes.Clone(stored)}), append(x.owners, at.w)
		x.size += int64(len(stored))
	}
	return x.size < maxTxBytes, nil
}

// verifyRecords verifies the records that were read. It skips those that do not fit into memory.
func (x *localCheck) verifyRecords(ctx context.Context, packer *codec.Codec) error {
	_, errs, err := x.c.ourVerifier.verify(ctx, packer, x.records)
	for i, err := range errs {
		if err != nil && !errors.Is(err, memory.ErrNotEnough) {
			x.owners[i].addBroken(x.records[i].entry.Name)
		}
	}
	return err
}

// addBroken notes that the target's record is damaged or missing.
func (w *runReader) addBroken(name schema.Digest) {
	if w.ourBroken == nil {
		w.ourBroken = map[schema.Digest]bool{}
	}
	w.ourBroken[name] = true
}

// repairRecord writes the i-th record in place of a damaged or missing one, and reports whether it
// still was damaged.
func (u *batchWriter) repairRecord(i int) (healed bool, err error) {
	if first, ok := u.batch.alias[i]; ok {
		i = first
	}
	r := u.batch.records[i]
	if u.added[i] || isTombstone(u.places[i]) {
		return false, nil
	}
	if _, err := u.ReadRecord(r.entry.Name); err == nil {
		return false, nil
	}
	if seq := u.places[i]; len(seq) == 8 && !u.holdsOther(seq, r.entry.Name) {
		return true, u.putStored(seq, r.stored)
	}
	u.places[i], err = u.appendStored(r.stored)
	u.added[i] = err == nil
	return u.added[i], err
}
