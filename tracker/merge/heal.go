package merge

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/codec"
	"github.com/podtrack/podtrack/tracker/internal/rows"
	"github.com/podtrack/podtrack/tracker/internal/verify"
	"github.com/podtrack/podtrack/tracker/memory"
)

// localCheck reads what the target has of runs that are also in the source, to find damaged or
// missing records.
type localCheck struct {
	c     *copier
	group []*runReader // runs whose iterations are still to be listed
	k     int          // next iteration of the first of group

	listed  []localRecord   // records that are still to be read
	records []verify.Record // records that were read
	owners  []*runReader    // by record
	size    int64           // of records, in bytes
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
	packer, err := c.to.Codec()
	if err != nil {
		return err
	}
	for x := (&localCheck{c: c, group: group}); err == nil && len(x.group) > 0; {
		if err = c.to.ViewInShortTxs(ctx, x.listRecords); err == nil {
			err = c.to.View(ctx, x.locateRecords)
		}
		for err == nil && len(x.listed) > 0 {
			x.records, x.owners, x.size = x.records[:0], x.owners[:0], 0
			if err = c.to.ViewInShortTxs(ctx, x.readRecord); err == nil {
				err = x.verifyRecords(ctx, packer)
			}
		}
	}
	return err
}

// listRecords lists the records of an iteration.
func (x *localCheck) listRecords(tx *tracker.Tx) (more bool, err error) {
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
func (x *localCheck) locateRecords(tx *tracker.Tx) error {
	slices.SortFunc(x.listed, func(a, b localRecord) int { return bytes.Compare(a.entry.Name[:], b.entry.Name[:]) })
	there := x.listed[:0]
	for _, at := range x.listed {
		place, err := tx.Rows().FindRecord(at.entry.Name)
		switch {
		case errors.Is(err, tracker.ErrPruned):
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
func (x *localCheck) readRecord(tx *tracker.Tx) (more bool, err error) {
	if len(x.listed) == 0 {
		return false, nil
	}
	at := x.listed[0]
	x.listed = x.listed[1:]
	if stored := tx.Rows().Bucket(rows.BucketRecords).Get(at.place); stored == nil {
		at.w.addBroken(at.entry.Name)
	} else {
		x.records, x.owners = append(x.records,
			verify.Record{Entry: at.entry, Stored: bytes.Clone(stored)}), append(x.owners, at.w)
		x.size += int64(len(stored))
	}
	return x.size < tracker.MaxTxBytes, nil
}

// verifyRecords verifies the records that were read. It skips those that do not fit into memory.
func (x *localCheck) verifyRecords(ctx context.Context, packer *codec.Codec) error {
	_, errs, err := x.c.ourVerifier.Verify(ctx, packer, x.records)
	for i, err := range errs {
		if err != nil && !errors.Is(err, memory.ErrNotEnough) {
			x.owners[i].addBroken(x.records[i].Entry.Name)
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
	if u.added[i] || rows.IsTombstone(u.places[i]) {
		return false, nil
	}
	if _, err := u.ReadRecord(r.Entry.Name); err == nil {
		return false, nil
	}
	if seq := u.places[i]; len(seq) == 8 && !u.Rows().HoldsOther(u.packer, seq, r.Entry.Name) {
		return true, u.Rows().PutStored(seq, r.Stored)
	}
	u.places[i], err = u.Rows().AppendStored(r.Stored)
	u.added[i] = err == nil
	return u.added[i], err
}
